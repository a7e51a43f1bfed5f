import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { outputOf, runSync } from '../../../test/support/fork-server.ts';
import { type GitFixture, gitFixture } from '../../../test/support/git-fixture.ts';
import { isValidBranchName, isValidRefName } from './ref-name.ts';

/**
 * Those of full names that git accepts. One process reads a line for each and takes what is behind its last blank, so that of those
 * with blanks each is asked for by a process of its own.
 */
function acceptedByGit({ git }: GitFixture, names: readonly string[]): ReadonlySet<string> {
  const lines = names.filter((name) => !/[ \t]/.test(name));
  const others = names.filter((name) => /[ \t]/.test(name));
  return new Set([
    ...git(['show-ref', '--exclude-existing'], `${lines.join('\n')}\n`).split('\n'),
    ...others.filter((name) => runSync('git', ['check-ref-format', name]).status === 0),
  ]);
}

const piece = fc.constantFrom('a', 'B', '.', '..', '/', '//', '.lock', 'lock', '@', '@{', '{', '-', '~', '^', ':', '?');
const odd = fc.constantFrom('*', '[', ']', '\\', ' ', '\t', '\x7f', '\x01', 'é', '日', '$', '(', '"', "'", '|', '&');

test('a full name is valid exactly where git check-ref-format says so', (t) => {
  const name = fc.array(fc.oneof(piece, piece, odd), { maxLength: 8 }).map((parts) => `refs/heads/${parts.join('')}`);
  const names = fc.sample(name, 600);
  const accepted = acceptedByGit(gitFixture(t), names);
  assert.ok(accepted.size > 10);
  for (const name of names) assert.equal(isValidRefName(name), accepted.has(name), JSON.stringify(name));
});

test('every branch name that is accepted is also one for git check-ref-format --branch', () => {
  const names = fc.array(fc.oneof(piece, odd), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(names, (name) => {
      if (!isValidBranchName(name)) return;
      assert.equal(runSync('git', ['check-ref-format', '--branch', name]).status, 0, JSON.stringify(name));
    }),
    { numRuns: 400 },
  );
});

test('names that could be read as options, full references or object ids are no branch names', () => {
  const oid = 'a'.repeat(40);
  const refused = [
    '-d',
    '--upload-pack=x',
    'HEAD',
    '@',
    'refs/heads/x',
    '@{-1}',
    'a..b',
    'a.lock',
    'a b',
    '',
    '/',
    'a/',
  ];
  const ids = [oid, oid.toUpperCase(), `${oid}/x`, `${oid}-x`, 'b'.repeat(64), `${'0'.repeat(64)}-1`];
  for (const name of [...refused, ...ids, '\0', 'a\nb', `${'x'.repeat(2_000)}`, `a/${'x'.repeat(255)}`]) {
    assert.equal(isValidBranchName(name), false, JSON.stringify(name));
  }
  for (const name of ['main', 'feature/x-1', 'a.b', `${oid}1`, oid.slice(1), 'é', 'heads/x', 'refs', 'head', 'x-d']) {
    assert.equal(isValidBranchName(name), true, JSON.stringify(name));
  }
});

test('the git these tests ask is there', () => {
  assert.match(outputOf('git', ['--version']).toString(), /^git version 2\./);
});
