import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopLoad } from './loop-load.ts';

test('a thread is busy once it was so after some periods, until it is free again', () => {
  let now = 0;
  let active = 0;
  const utilization = (current?: { active: number; idle: number }, last?: { active: number; idle: number }) => {
    const [busy, idle] =
      last === undefined ? [active, now - active] : [current!.active - last.active, current!.idle - last.idle];
    return { active: busy, idle, utilization: busy + idle === 0 ? 0 : busy / (busy + idle) };
  };
  const load = new LoopLoad(utilization, () => now);
  const after = (ms: number, share: number) => {
    now += ms;
    active += ms * share;
    return load.isBusy;
  };
  assert.deepEqual(
    [
      ...Array.from({ length: 5 }, () => [500, 0.9]),
      [500, 0.5],
      ...Array.from({ length: 5 }, () => [500, 0.9]),
      [499, 0.9],
      [1, 0.9],
      [500, 0.4],
      [500, 0.2],
      [20_000, 0.9],
    ].map(([ms, share]) => after(ms!, share!)),
    [...Array.from({ length: 12 }, () => false), true, true, false, false],
  );
});

test('it is told by the engine what this thread does', () => {
  let now = 0;
  const load = new LoopLoad(undefined, () => now);
  for (let n = 0; n < 7; n += 1) {
    now += 500;
    for (const end = performance.now() + 20; performance.now() < end; );
    load.isBusy;
  }
  now += 1;
  assert.equal(load.isBusy, true);
});
