import type { UserCaller } from '../access/caller.ts';
import { createUser, randomPassword, updateUser, userById } from '../api/identity/index.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { ApiError } from '../core/core.errors.ts';
import { JsonLogger } from '../core/logger.ts';
import { StartupError } from '../core/startup-error.ts';
import { openExisting } from '../db/database.ts';
import { asciiLower } from '../db/like.ts';
import type { Deps } from '../deps.ts';
import { applicationSettings } from '../settings/application-settings.ts';
import { open } from '../start.ts';
import { startError } from '../start-errors.ts';
import { parseCommand, printsHelp } from './command.ts';

const HELP = `Usage: stithy users create NAME --email ADDRESS [--full-name TEXT] [--admin]
       stithy users password NAME

Users, server running or not, with the settings of the server. Both print a new password, once: it is kept nowhere.

  create     makes a user; with --admin an administrator
  password   gives a user another password; their tokens and keys stay in force
`;
const OPTIONS = {
  email: { type: 'string' },
  'full-name': { type: 'string' },
  admin: { type: 'boolean', default: false },
} as const;

type Order =
  | { action: 'create'; username: string; email: string; name: string; admin: boolean }
  | { action: 'password'; username: string };

/** `stithy users`: makes a user, or gives one another password, server running or not. */
export async function usersCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args.length === 0 ? ['help'] : args, HELP)) return 0;
  const order = readArguments(args);
  const { config } = loadConfig(env);
  try {
    // A database that another version made, or none, is told of before anything is opened for writing.
    await (await openExisting(config.database)).close();
    const { deps, close } = await open(config, new JsonLogger('error', (text) => process.stderr.write(text)));
    try {
      process.stdout.write(await carryOut(deps, order));
    } finally {
      await close();
    }
    return 0;
  } catch (error) {
    throw error instanceof ApiError ? new StartupError(`${error.message}.`) : startError(error, config);
  }
}

const readArguments = (args: readonly string[]): Order =>
  parseCommand(args, HELP, OPTIONS, ({ values, positionals }) => {
    const [action, username, ...rest] = positionals;
    if (rest.length > 0) throw new Error(`"${rest[0]}" is one word too many.`);
    if (action !== 'create' && action !== 'password') throw new Error(`there is no "stithy users ${action}".`);
    if (username === undefined) throw new Error(`${action} takes the name of a user.`);
    const { email, 'full-name': name = username, admin } = values;
    if (action === 'password') {
      if (email !== undefined || values['full-name'] !== undefined || admin) {
        throw new Error('password takes the name of a user alone.');
      }
      return { action, username };
    }
    if (email === undefined) throw new Error('create takes --email.');
    return { action, username, email, name, admin };
  });

async function carryOut(deps: Deps, order: Order): Promise<string> {
  const password = randomPassword(await applicationSettings(deps));
  const caller = await theAdministrator(deps);
  if (order.action === 'create') {
    const { action: _action, ...given } = order;
    const { id, username } = await createUser(deps, caller, { ...given, password });
    return `User ${username} is made, with id ${id}. The password, which is shown this once: ${password}\n`;
  }
  const found = await deps.db
    .selectFrom('users')
    .select(['id', 'username'])
    .where((eb) => eb(eb.fn('lower', ['username']), '=', asciiLower(order.username)))
    .executeTakeFirst();
  if (found === undefined) throw new StartupError(`There is no user "${order.username}".`);
  await updateUser(deps, caller, found.id, { password });
  return `The new password of ${found.username}, which is shown this once: ${password}\n`;
}

/** In whose name the command acts: the first administrator, as the machine's own do. */
async function theAdministrator({ db }: Deps): Promise<UserCaller> {
  const user = await userById(db, 1);
  return { user, admin: true, scopes: null, credential: { kind: 'none' }, sudoBy: null };
}
