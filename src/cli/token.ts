import { makeRootToken } from '../bootstrap.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { openExisting } from '../db/database.ts';
import { startError } from '../start-errors.ts';

/**
 * `stithy token`: makes another token of the administrator, server running or not, and prints it alone on a line. Those
 * that there are stay in force.
 */
export async function tokenCommand(env: Environment): Promise<number> {
  const { config } = loadConfig(env);
  try {
    const { db, close } = await openExisting(config.database);
    try {
      process.stdout.write(`${await makeRootToken({ db, clock: systemClock })}\n`);
    } finally {
      await close();
    }
    return 0;
  } catch (error) {
    throw startError(error, config);
  }
}
