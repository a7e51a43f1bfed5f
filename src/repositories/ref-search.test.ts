import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingRegex, searchTest } from './ref-search.ts';
import { compareVersions } from './version-order.ts';

const cases: [search: string, name: string, fits: boolean][] = [
  ['eat', 'feature', true],
  ['EAT', 'feature', true],
  ['^feat', 'feature', true],
  ['^eat', 'feature', false],
  ['ure$', 'feature', true],
  ['eat$', 'feature', false],
  ['^feature$', 'feature', true],
  ['^feature$', 'feature/x', false],
  ['^f*e$', 'feature', true],
  ['^a*a$', 'a', false],
  ['f*t*u', 'feature', true],
  ['f*u*t', 'feature', false],
  ['^', 'feature', true],
  ['$', 'feature', true],
  ['^$', 'feature', false],
  ['a.b', 'axb', false],
  ['(', 'a(b', true],
];
for (const [search, name, fits] of cases) {
  test(`search ${search} ${fits ? 'finds' : 'leaves out'} ${name}`, () => {
    assert.equal(searchTest(search)(name), fits);
  });
}

test('a pattern is searched in each name, and a bad one is refused', async () => {
  const names = ['main', 'release/1', 'release/2', 'x-release/3'];
  const matching = (pattern: string) => matchingRegex(names, (name) => name, pattern);
  assert.deepEqual(await matching('^release/'), ['release/1', 'release/2']);
  assert.deepEqual(await matching('[13]$'), ['release/1', 'x-release/3']);
  for (const bad of ['(', '[', '(?<=a)b', 'a{1001}', '\\1']) {
    await assert.rejects(matching(bad), { status: 400, message: 'Regex is invalid' });
  }
});

test('a pattern that makes others backtrack for ever is answered', async () => {
  const names = Array.from({ length: 50 }, () => `${'a'.repeat(1_000)}!`);
  assert.deepEqual(await matchingRegex(names, (name) => name, '^(a+)+$'), []);
});

test('matching lets other work go on between its slices', async () => {
  let turns = 0;
  const work = () => {
    turns += 1;
    if (turns < 10) setImmediate(work);
  };
  setImmediate(work);
  const names = Array.from({ length: 20 }, (_, at) => `name-${at}`);
  const limits = { sliceMs: 0, budgetMs: Number.POSITIVE_INFINITY };
  assert.equal((await matchingRegex(names, (name) => name, 'name', limits)).length, 20);
  assert.equal(turns, 10);
});

test('matching is given up when it takes too long', async () => {
  let taken = 0;
  const matching = matchingRegex(
    ['a', 'b'],
    (name) => name,
    'a',
    { sliceMs: 0, budgetMs: 0 },
    () => (taken += 1),
  );
  await assert.rejects(matching, { code: 'timeout' });
});

test('versions are ordered by their numbers', () => {
  const sorted = ['v1.9', 'v1.10', 'v1.10.1', 'v1.010', 'v2', 'w1', 'v'].toSorted(compareVersions);
  assert.deepEqual(sorted, ['v', 'v1.9', 'v1.010', 'v1.10', 'v1.10.1', 'v2', 'w1']);
});

test('time in which others had the processor is not counted', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 1_000));
  let taken = 0;
  const items = Array.from({ length: 700 }, (_, item) => `name-${item}`);
  const limits = { sliceMs: 5, budgetMs: 800 };
  const find = (each: number) =>
    matchingRegex(
      items,
      (name) => name,
      'name',
      limits,
      () => (taken += each),
    );
  assert.equal((await find(0.5)).length, 700);
  await assert.rejects(find(2), { code: 'timeout' });
});
