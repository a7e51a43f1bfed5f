import assert from 'node:assert/strict';
import { test } from 'node:test';
import { data } from '../../../test/support/fast-import.ts';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { authorTest } from './author-pattern.ts';
import { listCommits } from './log.ts';

const AUTHORS = [
  'Ada',
  'José (x) .*',
  'bob+c',
  'a|b {2}',
  'ÀB^c',
  '東京 7',
  'x$y',
  'Bobbob',
  'a-b]c',
  "O'Neil_1",
  '𝒳 Z',
];
const PARTS = [
  'a',
  'B',
  'o',
  'é',
  'À',
  '.',
  '*',
  '^',
  '$',
  '\\(',
  '\\)',
  '\\|',
  '\\+',
  '\\?',
  '[a-c]',
  '[^a]',
  '[]x-]',
  '[[:digit:]]',
  '+',
  '?',
  '(',
  '{',
  '\\{1,2\\}',
  '\\.',
  '\\*',
  ' ',
  'b',
  '東',
  '@',
  '\\w',
  '\\W',
  '[[:upper:]]',
  '𝒳',
  '|',
  '\\{2\\}',
];

test('random patterns find the commits that git finds', async (t) => {
  const { git, repo } = gitFixture(t);
  const lines = AUTHORS.map(
    (name, at) =>
      `commit refs/heads/main\nauthor ${name} <u${at}@example.com> ${1_000 + at} +0000\ncommitter C <c@d> ${1_000 + at} +0000\n${data('m')}\n`,
  );
  git(['fast-import', '--quiet'], lines.join(''));
  const from = [git(['rev-parse', 'main']).trim()];
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  let commitCount = 0;
  for (let round = 0; round < 400; round += 1) {
    const author = Array.from({ length: 1 + below(5) }, () => PARTS[below(PARTS.length)]).join('');
    if (authorTest(author) === null) continue;
    const args = ['rev-list', '--basic-regexp', '--regexp-ignore-case', `--author=${author}`, ...from];
    const expected = git(args)
      .split('\n')
      .filter((oid) => oid !== '');
    commitCount += expected.length;
    assert.deepEqual(await listCommits(repo, { from, author, limit: 100 }), expected, author);
  }
  assert.ok(commitCount > 100);
});

test('git is asked the same where the history is long', async (t) => {
  const { git, repo } = gitFixture(t);
  const commit = (name: string, message: string, time: number) =>
    `commit refs/heads/main\nauthor ${name} <x@y> ${time} +0000\ncommitter C <c@d> ${time} +0000\n${data(message)}\n`;
  const odd = '\\a.*[x]^$ (1){2}+?|';
  const lines = [commit('Jos\u00e9 1', odd, 1), commit('Jos\u00e9 2', 'axx', 2)];
  for (let at = 3; at < 2_100; at += 1) lines.push(commit('Ada', 'm', at));
  git(['fast-import', '--quiet'], lines.join(''));
  const [head, second, first] = git(['rev-parse', 'main', 'main~2097', 'main~2098']).trim().split('\n');
  const log = (query: { author?: string; search?: string }) =>
    listCommits(repo, { from: [head!], limit: 10, ...query });
  assert.deepEqual(await log({ author: '^JOS\u00c9 [0-9]\\+ <' }), [second, first]);
  assert.deepEqual(await log({ author: 'jos.', search: odd.toUpperCase() }), [first]);
  assert.deepEqual(await log({ search: 'a.x' }), []);
});

test('what is no pattern, or would be too much, is none', () => {
  for (const text of [
    '\\(',
    'a\\)',
    '[a',
    '[b-a]',
    '\\(a\\)\\1',
    'a\\{2',
    'a\\{3,1\\}',
    'a\\',
    '[[:no:]]',
    'a\\{1000\\}b\\{1000\\}\\{9\\}',
    'x'.repeat(1_001),
  ]) {
    assert.equal(authorTest(text), null, text);
  }
});
