import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../test/support/app.ts';
import { SignInFailureReports } from './sign-in-failure-reports.ts';

test('failures are told of until an address, or all of them, have had their share of the hour', () => {
  const clock = new TestClock(new Date('2026-03-01T12:00:00.000Z'));
  const reports = new SignInFailureReports(clock);
  const take = (address: string, times: number) => Array.from({ length: times }, () => reports.reportsFor(address));
  assert.deepEqual(take('a', 12), [...Array<string>(9).fill('one'), 'last of address', 'none', 'none']);
  for (const address of ['b', 'c', 'd', 'e']) take(address, 10);
  assert.deepEqual(take('f', 10).at(-1), 'last of all');
  assert.deepEqual(take('g', 1), ['none']);
  clock.advance(3_600_000);
  assert.deepEqual(take('a', 1), ['one']);
});
