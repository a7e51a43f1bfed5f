import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from './progress.ts';

const failure = { name: 'a', file: 'a.test.ts', line: 1, text: '' };

function progressOf(isTTY: boolean): { progress: Progress; printed: string[]; wait(ms: number): void } {
  const printed: string[] = [];
  let now = 5_000;
  const output = { isTTY, write: (text: string) => printed.push(text) };
  const wait = (ms: number) => {
    now += ms;
  };
  return { progress: new Progress('SQLite', 3, output, () => now), printed, wait };
}

test('a terminal has one line that is overwritten with each file, and a line for each failed test', () => {
  const { progress, printed, wait } = progressOf(true);
  wait(1_400);
  progress.add({ failures: [] });
  progress.add({ failures: [failure, failure] });
  progress.end();
  assert.deepEqual(printed, [
    '\r\x1b[KSQLite: 1 of 3 files, 0 failed, 1 s',
    '\r\x1b[K',
    '  failed: a.test.ts:1 a\n',
    '  failed: a.test.ts:1 a\n',
    '\r\x1b[KSQLite: 2 of 3 files, 2 failed, 1 s',
    '\r\x1b[K',
  ]);
});

test('elsewhere there is a line a minute, and one for each failed test', () => {
  const { progress, printed, wait } = progressOf(false);
  progress.add({ failures: [] });
  wait(60_000);
  progress.add({ failures: [] });
  progress.add({ failures: [failure] });
  progress.end();
  assert.deepEqual(printed, ['SQLite: 2 of 3 files, 0 failed, 60 s\n', '  failed: a.test.ts:1 a\n']);
});
