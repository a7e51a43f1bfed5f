import { makeRootToken } from '../bootstrap.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { onDatabase, parseOptions, printsHelp } from './command.ts';

const HELP = `Usage: stithy token

Creates another access token of the administrator and prints it, whether the server runs or not. Existing tokens stay
valid.
`;

/** `stithy token`: creates another access token of the administrator and prints it on a line of its own. */
export async function tokenCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  parseOptions(args, HELP, {});
  return onDatabase(env, async (db) => `${await makeRootToken({ db, clock: systemClock })}\n`);
}
