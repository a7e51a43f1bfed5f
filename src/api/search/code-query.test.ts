import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCodeQuery } from './code-query.ts';

const PATHS = ['README.md', 'src/a.ts', 'src/deep/A.test.ts', 'vendor/a.ts', 'ts', 'x.d/notes'];
const allowed = (search: string) => PATHS.filter(readCodeQuery(search).allows);

test('what is no filter is the text, as it stands between its words', () => {
  for (const [search, term] of [
    ['two  spaces', 'two  spaces'],
    [' edge ', 'edge'],
    ['filename:*.ts greet  me', 'greet  me'],
    ['greet filename:*.ts me', 'greet me'],
    ['greet -path:"a b"', 'greet'],
    ['EXTENSION:ts', ''],
    ['xfilename:a', 'xfilename:a'],
    ['filename:', 'filename:'],
    ['language:ts', 'language:ts'],
  ] as const) {
    assert.equal(readCodeQuery(search).term, term, search);
  }
});

test('filters are ends, parts and extensions of paths, with wildcards, without regard to case', () => {
  assert.deepEqual(allowed('x'), PATHS);
  assert.deepEqual(allowed('filename:A.TS'), ['src/a.ts', 'vendor/a.ts']);
  assert.deepEqual(allowed('filename:a*.ts'), ['src/a.ts', 'src/deep/A.test.ts', 'vendor/a.ts']);
  assert.deepEqual(allowed('path:deep/'), ['src/deep/A.test.ts']);
  assert.deepEqual(allowed('path:src/*test'), ['src/deep/A.test.ts']);
  assert.deepEqual(allowed('extension:ts'), ['src/a.ts', 'src/deep/A.test.ts', 'vendor/a.ts']);
  assert.deepEqual(allowed('extension:ts -path:vendor/ -filename:test.ts'), ['src/a.ts']);
  assert.deepEqual(allowed('extension:t. extension:[a-z]+'), []);
});

test('only an empty search asks for nothing', () => {
  assert.deepEqual(
    ['', '  ', 'x', 'filename:x', '-path:x'].map((search) => readCodeQuery(search).isEmpty),
    [true, true, false, false, false],
  );
});

test('filters that are too long or too many are text', () => {
  const long = `path:${'a'.repeat(101)}`;
  assert.equal(readCodeQuery(long).term, long);
  assert.equal(readCodeQuery('path:a '.repeat(7)).term, 'path:a path:a');
});

test('many wildcards take little time', () => {
  const begun = process.cpuUsage();
  const { allows } = readCodeQuery(`path:${'*a'.repeat(49)}b `.repeat(5));
  assert.equal(allows('a'.repeat(4_000)), false);
  assert.ok(process.cpuUsage(begun).user < 200_000);
});
