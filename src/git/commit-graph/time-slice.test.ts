import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READ_MS } from '../process/index.ts';
import { TimeSlice } from './time-slice.ts';

/** Walks in turns of some length by the clock, of which a share is time of a processor. @returns how it ended */
async function walk(turns: number, turnMs: number, cpuMs: number): Promise<string> {
  let [processor, clock] = [0, 0];
  const timeSlice = new TimeSlice({ cpuMs: () => processor, clockMs: () => clock });
  try {
    for (let turn = 0; turn < turns; turn += 1) {
      clock += turnMs;
      processor += cpuMs;
      assert.ok(timeSlice.isLate);
      await timeSlice.yield();
    }
    return 'done';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    timeSlice.end();
  }
}

test('a walk counts its own turns on a processor, and the clock as a last resort', async () => {
  assert.equal(await walk(10, READ_MS, 1_000), 'done');
  assert.equal(await walk(10, READ_MS, READ_MS / 10), 'done');
  assert.equal(await walk(13, READ_MS / 10, READ_MS / 10), 'timeout');
  assert.equal(await walk(25, READ_MS, 0), 'busy');
});

test('what others do of the thread between its turns is not counted', async () => {
  let [processor, clock] = [0, 0];
  const timeSlice = new TimeSlice({ cpuMs: () => processor, clockMs: () => clock });
  for (let turn = 0; turn < 10; turn += 1) {
    clock += 3;
    processor += 3;
    setImmediate(() => {
      clock += READ_MS;
      processor += READ_MS;
    });
    await timeSlice.yield();
  }
  timeSlice.end();
});
