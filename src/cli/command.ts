import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { StartupError } from '../core/startup-error.ts';
import { openExisting } from '../db/database.ts';
import type { Db } from '../db/db.schema.ts';
import { startError } from '../start-errors.ts';

/** Prints the help of a command if the arguments ask for it. @returns whether they do */
export function printsHelp(args: readonly string[], help: string): boolean {
  const asks = args.includes('--help') || args.includes('-h') || args[0] === 'help';
  if (asks) process.stdout.write(help);
  return asks;
}

/**
 * Parses the arguments of a command.
 * @param read converts the parsed arguments; its errors are shown together with the help
 * @throws StartupError
 */
export function parseCommand<const Options extends ParseArgsOptionsConfig, Order>(
  args: readonly string[],
  help: string,
  options: Options,
  read: (parsed: ReturnType<typeof parse<Options>>) => Order,
): Order {
  try {
    return read(parse(args, options));
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${help}`);
  }
}

/**
 * Parses a command that takes options only.
 * @returns their values
 * @throws StartupError
 */
export const parseOptions = <const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  help: string,
  options: Options,
) =>
  parseCommand(args, help, options, ({ values, positionals: [extra] }) => {
    if (extra !== undefined) throw new Error(`unexpected argument "${extra}".`);
    return values;
  });

const parse = <const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) =>
  parseArgs({ args: [...args], options, allowPositionals: true });

/** Maximum number of rows of a list. @throws Error */
export function limitOf(text: string | undefined, fallback: number): number {
  const limit = text === undefined ? fallback : Number(text);
  if (!(Number.isInteger(limit) && limit >= 1)) throw new Error('--limit must be a positive integer.');
  return limit;
}

/**
 * Runs the work of a command on the configured database, whether the server runs or not, and prints its result.
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
