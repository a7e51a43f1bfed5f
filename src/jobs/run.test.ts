import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { StoredJob } from '../db/tables/jobs.ts';
import { jobKind } from './kinds.ts';
import { runJob } from './run.ts';

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
