import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { mock, test } from 'node:test';
import { Busy } from '../core/busy.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { GitError } from '../git/common/index.ts';
import { jobKind } from './jobs.kinds.ts';
import { outcomeOf, runJob } from './jobs.run.ts';

const KIND = jobKind<{ fails: boolean }>('test.run', { lane: 'slow' });
const job = (fails: boolean) => ({ id: 1, attempts: 1, payload: JSON.stringify({ fails }) }) as StoredJob;

for (const fails of [false, true]) {
  test(`a run that ${fails ? 'failed' : 'succeeded'} is not given up when the server stops later`, async () => {
    const stop = new AbortController();
    let signal: AbortSignal | undefined;
    const work = {
      kind: KIND,
      schedule: null,
      handler: async (payload: { fails: boolean }, run: { signal: AbortSignal }) => {
        ({ signal } = run);
        if (payload.fails) throw new Error('no');
      },
    };
    const failure = await runJob(work as never, job(fails), stop.signal);
    assert.equal(failure !== null, fails);
    assert.deepEqual(getEventListeners(signal!, 'abort'), []);
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    stop.abort();
    assert.equal(timers(), before);
  });
}

test('nothing of a run stays in memory until the time that it might have taken', async () => {
  const [set, clear] = [mock.method(globalThis, 'setTimeout'), mock.method(globalThis, 'clearTimeout')];
  try {
    const work = { kind: KIND, schedule: null, handler: async () => {} };
    await runJob(work as never, job(false), new AbortController().signal);
    const limits = set.mock.calls.filter(({ arguments: [, ms] }) => ms === KIND.timeoutMs).map(({ result }) => result);
    assert.equal(limits.length, 1);
    assert.ok(clear.mock.calls.some(({ arguments: [timer] }) => timer === limits[0]));
  } finally {
    mock.restoreAll();
  }
});

const scarce = (code: string) => Object.assign(new Error(code), { code });
for (const [name, error, pause] of [
  ['places', new Busy(503, 'too many are compiled', 5), 5_000],
  ['places of git', new GitError('busy', 'too many wait'), 1_000],
  ['a place of the caller', new GitError('caller_busy', 'too many wait'), 1_000],
  ['file descriptors', scarce('EMFILE'), 2 ** 3 * 1_000],
  ['memory', scarce('ENOMEM'), 2 ** 3 * 1_000],
] as const) {
  test(`a run for which there are no ${name} is no attempt, not even the last`, () => {
    const now = new Date('2026-01-01T00:00:00Z');
    const last = { ...job(true), attempts: 3, last_error: null } as StoredJob;
    const work = { kind: jobKind('test.last', { lane: 'slow', maxAttempts: 3 }), schedule: null };
    const { to } = outcomeOf(work, last, { error, left: null }, now, false);
    assert.ok(to !== 'done');
    assert.equal(to.state, 'waiting');
    assert.equal(to.attempts, 2);
    assert.equal(Date.parse(to.runAt) - now.getTime(), pause);
  });
}
