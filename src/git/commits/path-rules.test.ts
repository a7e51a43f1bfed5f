import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { CommitError } from './commit-error.ts';
import { splitPath } from './path-rules.ts';

function verdict(path: string): string {
  try {
    splitPath(path);
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof CommitError);
    return error.code;
  }
}

test('paths that lead out of the repository, or into the folder of git, are refused', () => {
  for (const path of ['..', '../x', 'a/../b', 'a/..', '..\\x', 'a\\..\\x']) {
    assert.equal(verdict(path), 'path_traversal', path);
  }
  const git = [
    '.git',
    '.git/config',
    '.GIT/hooks/pre-receive',
    'a/.git/x',
    '.gi\u200ct/config',
    '.git\ufeff',
    'GIT~1/x',
  ];
  const ntfs = ['.git ', '.git.', '.git . .', '.git::$INDEX_ALLOCATION/x', 'a\\.git', 'a\\.git\\x', 'git~1.'];
  const form = ['/x', 'a//b', 'a/', '.', './a', 'a/.', 'a\0b', '\ud800', 'x'.repeat(5_000), '日'.repeat(1_500)];
  for (const path of [...git, ...ntfs, ...form]) assert.equal(verdict(path), 'path_invalid', JSON.stringify(path));
  assert.equal(verdict(''), 'path_missing');
});

test('odd but harmless names are fine', () => {
  const names = ['-h', 'a b', 'a\nb', 'a:b', '...', '.gitx', 'git~2', '.gitignore', 'é', '~', '@{', 'a\\b', 'x.lock'];
  for (const path of names) assert.deepEqual(splitPath(path), [path]);
  assert.deepEqual(splitPath('a/-h/c'), ['a', '-h', 'c']);
});

test('no accepted path is one that git refuses to put into an index', (t) => {
  const { git, dir } = gitFixture(t);
  const blob = git(['hash-object', '-w', '--stdin'], 'x');
  const piece = fc.constantFrom(
    '.git',
    '.GiT',
    'git~1',
    '.',
    '..',
    '/',
    '\\',
    ' ',
    ':',
    '\u200c',
    'a',
    'b',
    '.g',
    'it',
  );
  const paths = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
  const seen = new Set<string>();
  fc.assert(
    fc.property(paths, (path) => {
      if (verdict(path) === 'ok') seen.add(path);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(seen.size > 50);
  const accepted = [...seen].filter((path) => ![...seen].some((other) => other.startsWith(`${path}/`)));
  const tree = (path: string) => `100644 ${blob}\t${path}\0`;
  git(['read-tree', '--empty', `--index-output=${dir}/index`]);
  git(['update-index', '-z', '--add', '--index-info'], accepted.map(tree).join(''));
  const listed = git(['ls-files', '-z']).split('\0').filter(Boolean);
  assert.deepEqual(new Set(listed), new Set(accepted));
});
