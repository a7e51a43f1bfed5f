import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimes } from './cpu-times.ts';
import { LoopLoad } from './loop-load.ts';

type Times = { active: number; idle: number };

/** Advances the time, and records the state found then. */
function simulated() {
  let now = 0;
  let active = 0;
  const processors = { others: 0, all: 0 };
  const load = new LoopLoad({
    utilization: (current?: Times, last?: Times) => {
      const [busy, idle] =
        last === undefined ? [active, now - active] : [current!.active - last.active, current!.idle - last.idle];
      return { active: busy, idle, utilization: busy + idle === 0 ? 0 : busy / (busy + idle) };
    },
    processors: () => ({ ...processors }),
    now: () => now,
  });
  /** @param share activity of this thread, `others` share of all processors used by other processes */
  return (ms: number, share: number, others = 0.1) => {
    now += ms;
    active += ms * share;
    processors.all += ms * 4;
    processors.others += ms * 4 * others;
    return load.isBusy;
  };
}

const six = (after: ReturnType<typeof simulated>, share: number, others?: number) =>
  Array.from({ length: 6 }, () => after(500, share, others));
const NOT_YET = Array.from({ length: 5 }, () => false);

test('a thread is busy once it was so in some periods together, until it is free again', () => {
  const after = simulated();
  assert.deepEqual(six(after, 0.95), [...NOT_YET, true]);
  assert.deepEqual([after(500, 0.4), after(499, 0), after(1, 0), after(20_000, 0.95)], [true, true, false, true]);
  assert.equal(after(500, 0.95), true);
  assert.deepEqual([after(500, 0), after(70_000, 0)], [false, false]);
  assert.deepEqual(six(after, 0.95), [...NOT_YET, true]);
  const other = simulated();
  for (let n = 0; n < 20; n += 1) assert.equal(other(500, n % 6 === 5 ? 0.2 : 1), false);
  for (let n = 0; n < 20; n += 1) assert.equal(other(500, 0.85), false);
  const third = simulated();
  assert.deepEqual(
    [1, 1, 0.8, 1, 1, 1].map((share) => third(500, share)),
    [...NOT_YET, true],
  );
});

test('where other processes take the processors more threads would not help', () => {
  const after = simulated();
  assert.deepEqual(six(after, 1, 0.4), [...NOT_YET, false]);
  assert.deepEqual(six(after, 1, 0.2), [...NOT_YET, true]);
  assert.deepEqual([after(500, 1, 0.25), after(500, 1, 0.5)], [true, false]);
});

test('it is told by the engine and the system what is done', () => {
  let now = 0;
  const load = new LoopLoad({ processors: () => null, now: () => now });
  for (let n = 0; n < 7; n += 1) {
    now += 500;
    for (const end = performance.now() + 20; performance.now() < end; );
    load.isBusy;
  }
  now += 1;
  assert.equal(load.isBusy, true);
  const times = cpuTimes();
  assert.ok(times === null || (times.others > 0 && times.all > times.others));
});
