import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ReaderThread } from './reader-thread.ts';

/** A program that takes questions and answers none. */
const SILENT = `data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});`;
const place = { id: 'a', dir: '/nowhere' };

/** A thread that owes an answer. @param taken what it has taken of a processor at each look, in milliseconds */
async function owing(t: TestContext, taken: readonly number[], clock: readonly number[]): Promise<boolean> {
  let look = 0;
  let ended = false;
  const thread = new ReaderThread(
    SILENT,
    'silent',
    () => {
      ended = true;
    },
    async () => taken[look]!,
  );
  t.after(() => thread.end());
  const answer = thread.ask(place, 'none', []);
  t.mock.method(performance, 'now', () => clock[look]!);
  for (; look < taken.length; look += 1) await thread.poll();
  t.mock.restoreAll();
  if (ended) assert.equal(await answer, undefined);
  return ended;
}

test('a thread that gets no processor is waited for, one that works on without an answer is ended', async (t) => {
  const start = performance.now();
  assert.equal(await owing(t, [5_000, 64_000, 64_999], [start, start + 200_000, start + 400_000]), false);
  assert.equal(await owing(t, [5_000, 64_000, 65_001], [start, start + 1_000, start + 2_000]), true);
});

test('an answer that was lost is given up by the clock', async (t) => {
  const start = performance.now();
  assert.equal(await owing(t, [0, 1], [start, start + 700_000]), true);
});
