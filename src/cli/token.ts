import { makeRootToken } from '../bootstrap.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { onDatabase } from './command.ts';

/**
 * `stithy token`: makes another token of the administrator, server running or not, and prints it alone on a line. Those
 * that there are stay in force.
 */
export const tokenCommand = (env: Environment): Promise<number> =>
  onDatabase(env, async (db) => `${await makeRootToken({ db, clock: systemClock })}\n`);
