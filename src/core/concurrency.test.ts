import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachWithConcurrency } from './concurrency.ts';

test('all are done, no more at once than said', async () => {
  let now = 0;
  let maxConcurrent = 0;
  const done: number[] = [];
  await forEachWithConcurrency([1, 2, 3, 4, 5], 2, null, async (each) => {
    now += 1;
    maxConcurrent = Math.max(maxConcurrent, now);
    await sleep(1);
    now -= 1;
    done.push(each);
  });
  assert.deepEqual([done.sort(), maxConcurrent], [[1, 2, 3, 4, 5], 2]);
});

test('an error is thrown when all that had begun has ended, and nothing begins after it', async () => {
  const events: string[] = [];
  const work = async (each: number, signal: AbortSignal) => {
    events.push(`${each} begins`);
    if (each === 2) throw new Error('two');
    while (!signal.aborted) await sleep(1);
    await sleep(5);
    events.push(`${each} ends`);
  };
  await assert.rejects(forEachWithConcurrency([1, 2, 3], 2, null, work), { message: 'two' });
  assert.deepEqual(events, ['1 begins', '2 begins', '1 ends']);
});

test('an abort ends it with the reason of its signal', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const all = forEachWithConcurrency([1, 2, 3], 1, stop.signal, async (each) => {
    begun.push(each);
    stop.abort(new Error('stopped'));
  });
  await assert.rejects(all, { message: 'stopped' });
  assert.deepEqual(begun, [1]);
  await assert.rejects(
    forEachWithConcurrency([1], 1, stop.signal, async () => assert.fail()),
    { message: 'stopped' },
  );
});
