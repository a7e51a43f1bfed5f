import { Type } from 'typebox';
import { ApiError } from '../../core/core.errors.ts';
import { type Route, route } from '../../http/http.route.ts';
import { refuseUnknownKeys } from '../strict-input.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import { DEFAULT_WAIT, Timeout } from '../waiting-list.ts';
import { waitUntilIdle } from './wait-until-idle.ts';

const IdleInput = Type.Object({ timeout: Timeout });

/** Waiting for the background work. */
export const idleRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: '/-/bench/idle',
    summary: 'Wait until no background work is due or running',
    description: 'Answers when it is so, and with 408 if it is not in time.',
    input: IdleInput,
    success: {
      status: 200,
      schema: Type.Object({ idle: Type.Literal(true, { description: 'Nothing is due or running.' }) }),
    },
    errors: [400, 408],
    handler: async (c) => {
      refuseUnknownKeys(c.sent, IdleInput);
      const { timeout = DEFAULT_WAIT } = c.input;
      if (await waitUntilIdle(c.deps, timeout * 1_000, c.signal)) return { idle: true };
      throw new ApiError(408, `background work has not ended within ${timeout} seconds`);
    },
  }),
];
