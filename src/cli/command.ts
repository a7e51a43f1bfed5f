import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { StartupError } from '../core/startup-error.ts';
import { openExisting } from '../db/database.ts';
import type { Db } from '../db/db.schema.ts';
import { startError } from '../start-errors.ts';

/** Whether somebody asks how a command is used; then that is printed. */
export function printsHelp(args: readonly string[], help: string): boolean {
  const asks = args.includes('--help') || args.includes('-h') || args[0] === 'help';
  if (asks) process.stdout.write(help);
  return asks;
}

/**
 * Reads the arguments of a command.
 * @param read makes an order of them; what it throws is told with how the command is used
 * @throws StartupError
 */
export function parseCommand<const Options extends ParseArgsOptionsConfig, Order>(
  args: readonly string[],
  help: string,
  options: Options,
  read: (given: ReturnType<typeof parse<Options>>) => Order,
): Order {
  try {
    return read(parse(args, options));
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${help}`);
  }
}

const parse = <const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) =>
  parseArgs({ args: [...args], options, allowPositionals: true });

/** How many rows a list shows. @throws Error */
export function limitOf(text: string | undefined, unlessTold: number): number {
  const limit = text === undefined ? unlessTold : Number(text);
  if (!(Number.isInteger(limit) && limit >= 1)) throw new Error('--limit takes a number from 1 on.');
  return limit;
}

/**
 * Does the work of a command with the database of the settings, server running or not, and prints what it gives.
 * @returns the exit code
 * @throws StartupError
 */
export async function onDatabase(env: Environment, work: (db: Db) => Promise<string>): Promise<number> {
  const { config } = loadConfig(env);
  try {
    const { db, close } = await openExisting(config.database);
    try {
      process.stdout.write(await work(db));
    } finally {
      await close();
    }
    return 0;
  } catch (error) {
    throw startError(error, config);
  }
}
