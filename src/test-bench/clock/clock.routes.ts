import { Type } from 'typebox';
import { ApiError } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { type Route, route } from '../../http/http.route.ts';
import { Instant } from '../../http/http.schema.ts';
import { waitUntilIdle } from '../idle/wait-until-idle.ts';
import { refuseUnknownKeys } from '../strict-input.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import type { BenchClock } from './bench-clock.ts';
import { storeClock } from './clock.store.ts';

/** Years that dates of databases and tokens can hold. */
const YEARS = { first: 1_970, last: 9_999 };
/** Longest wait for what fell due, in milliseconds. */
const WAIT_MS = 30_000;

const BenchClockEntity = Type.Object({
  now: Instant({ description: 'The time that the server goes by.' }),
  offset: Type.Number({ description: "Seconds ahead of the system's clock." }),
  frozen: Type.Boolean({ description: 'Whether it stands still.' }),
});

const SetClock = Type.Object({
  now: Type.Optional(Type.String({ description: 'The time to set, ISO 8601.' })),
  offset: Type.Optional(Type.Number({ description: "Seconds ahead of the system's clock; negative ones are behind." })),
  frozen: Type.Optional(Type.Boolean({ description: 'Whether it stands still from now on.' })),
});

const AdvanceClock = Type.Object({
  seconds: Type.Number({ description: 'Seconds to advance, 0 or more.' }),
  wait: Type.Optional(Type.Boolean({ description: 'Wait until everything that fell due has run; true by default.' })),
});

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** @throws ApiError 400 */
function checkTime(time: Date, name: string): Date {
  const year = time.getUTCFullYear();
  if (year >= YEARS.first && year <= YEARS.last) return time;
  throw new ApiError(400, `${name} leads to a time outside of the years ${YEARS.first} to ${YEARS.last}`);
}

/** @throws ApiError 400 */
function readTime(text: string): Date {
  const time = ISO.test(text) ? new Date(text) : null;
  if (time === null || Number.isNaN(time.getTime()))
    throw new ApiError(400, 'now must be an ISO 8601 time such as 2026-01-31T09:05:00Z');
  return checkTime(time, 'now');
}

const present = (clock: BenchClock) => ({
  now: clock.now().toISOString(),
  offset: clock.state.offset,
  frozen: clock.frozen,
});

/** Stores the new time, and has the jobs looked at by it. */
async function apply(deps: Deps, clock: BenchClock, change: () => void): Promise<void> {
  const before = clock.state;
  change();
  try {
    await storeClock(deps.db, clock);
  } catch (error) {
    clock.restore(before);
    throw error;
  }
  await deps.jobs.recheck();
}

/** The clock of the test bench. */
export const clockRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: '/-/bench/clock',
    summary: 'Get the clock of the test bench',
    success: { status: 200, schema: BenchClockEntity },
    handler: ({ bench: { clock } }) => present(clock),
  }),
  route({
    ...BENCH_ROUTE,
    method: 'PUT',
    path: '/-/bench/clock',
    summary: 'Set or freeze the clock of the test bench',
    input: SetClock,
    rules: { mutuallyExclusive: [['now', 'offset']], atLeastOne: [['now', 'offset', 'frozen']] },
    success: { status: 200, schema: BenchClockEntity },
    errors: [400],
    handler: async (c) => {
      const { clock } = c.bench;
      refuseUnknownKeys(c.sent, SetClock);
      const { now, offset, frozen } = c.input;
      const time = now === undefined ? null : readTime(now);
      if (offset !== undefined) checkTime(new Date(Date.now() + offset * 1_000), 'offset');
      await apply(c.deps, clock, () => {
        if (time !== null) clock.set(time);
        if (offset !== undefined) clock.setOffset(offset);
        if (frozen !== undefined) clock.freeze(frozen);
      });
      return present(clock);
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'POST',
    path: '/-/bench/clock/advance',
    summary: 'Advance the clock of the test bench',
    description: 'Answers when everything that fell due has run, and with 408 after half a minute.',
    input: AdvanceClock,
    success: { status: 200, schema: BenchClockEntity },
    errors: [400, 408],
    handler: async (c) => {
      const { clock } = c.bench;
      refuseUnknownKeys(c.sent, AdvanceClock);
      const { seconds, wait = true } = c.input;
      if (seconds < 0) throw new ApiError(400, 'seconds must be 0 or more');
      checkTime(new Date(clock.now().getTime() + seconds * 1_000), 'seconds');
      await apply(c.deps, clock, () => clock.advance(seconds));
      if (wait && !(await waitUntilIdle(c.deps, WAIT_MS, c.signal)))
        throw new ApiError(408, 'the clock is advanced, but what fell due has not ended within 30 seconds');
      return present(clock);
    },
  }),
];
