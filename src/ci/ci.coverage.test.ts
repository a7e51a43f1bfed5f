import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageIn } from './ci.coverage.ts';

const inLog = (log: string, pattern: string) => coverageIn(log.split('\n').reverse(), pattern);

test('the last line that tells a coverage counts', () => {
  assert.equal(inLog('Coverage 1033 / 1051 LOC (98.29%) covered', String.raw`\(\d+.\d+%\) covered`), 98.29);
  assert.equal(inLog('cov: 10%\ncov: 20%\nno more', String.raw`cov: \d+%`), 20);
  assert.equal(inLog('nothing', String.raw`\d+%`), null);
});

test('of several matches and groups the last counts', () => {
  assert.equal(inLog('10% and 20.5%', String.raw`\d+(?:\.\d+)?%`), 20.5);
  assert.equal(inLog('lines 80.1 of 100, branches 70', String.raw`lines (\d+\.\d+) of \d+, branches (\d+)`), 70);
});

test('a line whose match has no number is passed over', () => {
  assert.equal(inLog('covered 55%\ncovered ??%', 'covered (.+)%'), 55);
});

test('times before lines do not count, and neither do their ends', () => {
  const line = '2026-01-02T03:04:05.678901Z 00O covered 12.5%\r';
  assert.equal(inLog(line, String.raw`^covered \d+\.\d+%$`), 12.5);
});

test('a pattern with flags keeps them', () => {
  assert.equal(inLog('COVERED 7%', String.raw`(?i)covered (\d+)%`), 7);
});

test('a pattern that is none, or would take too long, finds nothing', () => {
  assert.equal(inLog('1%', '('), null);
  assert.equal(inLog('1%', '((a{1000}){1000}){1000}'), null);
  assert.equal(inLog(`${'a'.repeat(5_000_000)} 1%`, String.raw`(a|b|c|d|e)+ \d%`), null);
});
