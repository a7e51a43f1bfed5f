import type { TestContext } from 'node:test';

/** Moves the monotonic clock of this process ahead until the test is over: what holds for a second holds no longer. Timers do not see it. */
export function moveMonotonicClock(t: Pick<TestContext, 'mock'>, ms: number): void {
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + ms);
}
