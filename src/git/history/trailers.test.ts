import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { data } from '../../../test/support/fast-import.ts';
import { outputOf } from '../../../test/support/fork-server.ts';
import { type GitFixture, gitFixture } from '../../../test/support/git-fixture.ts';
import { parseTrailers } from './trailers.ts';

type Pairs = string[][];

/** The lines that git prints for trailers, as [key, value] pairs. */
const pairsOf = (lines: readonly string[]): Pairs =>
  lines
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });

/** What git finds in a message. */
function gitTrailers(message: string): Pairs {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' };
  const args = ['-c', 'trailer.separators=:', 'interpret-trailers', '--parse', '--no-divider'];
  return pairsOf(outputOf('git', args, { input: message, env, cwd: '/' }).toString().split('\n'));
}

/** The same for many messages, by one process that shows commits; it passes over empty lines at the beginning of a message. */
function trailersOfCommits({ git }: GitFixture, messages: readonly string[]): Pairs[] {
  const commits = messages.map((message) => `commit refs/heads/main\ncommitter A <a@b> 1 +0000\n${data(message)}\n`);
  git(['fast-import', '--quiet', '--force'], commits.join(''));
  const format = '--format=%x00%(trailers:only,unfold)';
  const shown = git(['-c', 'trailer.separators=:', 'log', '--reverse', format, 'main']).split('\0').slice(1);
  return shown.map((text) => pairsOf(text.split('\n')));
}

function check(message: string, gitPairs: Pairs): void {
  const expected: Record<string, string[]> = {};
  for (const [key = '', value = ''] of gitPairs) {
    expected[key] ??= [];
    expected[key].push(value);
  }
  const { trailers, extended } = parseTrailers(message);
  assert.deepEqual({ ...extended }, expected, JSON.stringify(message));
  const last = Object.fromEntries(Object.entries(expected).map(([key, values]) => [key, values.at(-1)]));
  assert.deepEqual({ ...trailers }, last, JSON.stringify(message));
}

test('the last value wins and all are kept', () => {
  const { trailers, extended } = parseTrailers(
    'Title\n\nBody\n\nReviewed-by: Ada\nReviewed-by: Grace\nChangelog: added\n',
  );
  assert.deepEqual({ ...trailers }, { 'Reviewed-by': 'Grace', Changelog: 'added' });
  assert.deepEqual({ ...extended }, { 'Reviewed-by': ['Ada', 'Grace'], Changelog: ['added'] });
});

test('no key is special', () => {
  const { trailers } = parseTrailers('Title\n\nconstructor: y\n');
  assert.equal(trailers.constructor, 'y');
  assert.equal(trailers.toString, undefined);
  assert.equal(Object.getPrototypeOf(trailers), null);
});

test('agrees with git on messages made for it', () => {
  const messages = [
    'Title: not a trailer',
    'Title\n\nKey: value',
    'Title\n\nKey: value\n\n\n',
    'Title\n\nKey: one\n two\n\tthree\nOther : spaced key\n',
    'Title\n\nprose here\nSigned-off-by: Ada <a@b>\n',
    'Title\n\none\ntwo\nthree\nfour\nSigned-off-by: Ada <a@b>\n',
    'Title\n\nprose\nKey: value\n',
    'Title\n\nKey: value\n(cherry picked from commit 0123456789012345678901234567890123456789)\n',
    'Title\n\nKey: value\n# comment\n\nConflicts:\n\tfile\n',
    'Title\n\nKey: value\n\n# ------------------------ >8 ------------------------\nOther: no\n',
    'Conflicts:\n\r\nSigned-off-by: Ada <a@b>\nkey value: x\n\tcontinued\n\n\tcontinued\n',
    '# comment\n\nKey: value\n',
    'Conflicts:\n\tfile\n\nKey: value\n\n\tfile\n',
    'Title\n---\nKey: value\n\nA: b\n---\nC: d\n',
    'Title\n\nKey:value\r\nOther: x\r\n',
    'Title\n\nKey:\nOther: x\n',
    'Title\n\n Key: indented\n',
    '',
    '\n\n',
    'Key: only\n\nKey: second\n',
  ];
  for (const message of messages) check(message, gitTrailers(message));
});

test('agrees with git on arbitrary messages', (t) => {
  const line = fc.constantFrom(
    'Title',
    'Key: value',
    'Key: ',
    'Ref-To: #12',
    ' continued',
    '\tcontinued',
    'plain text',
    'key value: x',
    'key : x',
    ': x',
    'Signed-off-by: Ada <a@b>',
    '(cherry picked from commit 0123456789012345678901234567890123456789)',
    '# comment',
    'Conflicts:',
    '---',
    ' ',
    '\r',
    '',
    '',
  );
  const message = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, ended]) => lines.join('\n') + (ended ? '\n' : ''));
  const messages = Map.groupBy(fc.sample(message, 300), (text) => /^\s*(?:\n|$)/.test(text));
  for (const text of messages.get(true) ?? []) check(text, gitTrailers(text));
  const others = messages.get(false) ?? [];
  const trailersOfOthers = trailersOfCommits(gitFixture(t), others);
  assert.equal(trailersOfOthers.length, others.length);
  for (const [at, text] of others.entries()) check(text, trailersOfOthers[at]!);
});
