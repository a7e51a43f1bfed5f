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

Manages users, whether the server runs or not. Both commands print the new password; it cannot be shown again.

  create     create a user; with --admin an administrator
  password   set a new password for a user; their tokens and keys stay valid
`;
const OPTIONS = {
  email: { type: 'string' },
  'full-name': { type: 'string' },
  admin: { type: 'boolean', default: false },
} as const;

type Order =
  | { action: 'create'; username: string; email: string; name: string; admin: boolean }
  | { action: 'password'; username: string };

/** `stithy users`: creates a user, or sets a new password. */
export async function usersCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args.length === 0 ? ['help'] : args, HELP)) return 0;
  const order = readArguments(args);
  const { config } = loadConfig(env);
  try {
    // Refuses a missing database or one of another version before anything is opened for writing.
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
    if (rest.length > 0) throw new Error(`unexpected argument "${rest[0]}".`);
    if (action !== 'create' && action !== 'password') throw new Error(`unknown command "stithy users ${action}".`);
    if (username === undefined) throw new Error(`"stithy users ${action}" needs a username.`);
    const { email, 'full-name': name = username, admin } = values;
    if (action === 'password') {
      if (email !== undefined || values['full-name'] !== undefined || admin) {
        throw new Error('"stithy users password" takes a username and no options.');
      }
      return { action, username };
    }
    if (email === undefined) throw new Error('"stithy users create" needs --email.');
    return { action, username, email, name, admin };
  });

async function carryOut(deps: Deps, order: Order): Promise<string> {
  const password = randomPassword(await applicationSettings(deps));
  const caller = await theAdministrator(deps);
  if (order.action === 'create') {
    const { action: _action, ...attributes } = order;
    const { id, username } = await createUser(deps, caller, { ...attributes, password });
    return `Created user ${username} with id ${id}. The password is shown only once: ${password}\n`;
  }
  const user = await deps.db
    .selectFrom('users')
    .select(['id', 'username'])
    .where((eb) => eb(eb.fn('lower', ['username']), '=', asciiLower(order.username)))
    .executeTakeFirstOrThrow(() => new StartupError(`There is no user "${order.username}".`));
  await updateUser(deps, caller, user.id, { password });
  return `New password of ${user.username}, shown only once: ${password}\n`;
}

/** The first administrator, as whom the command acts. */
async function theAdministrator({ db }: Deps): Promise<UserCaller> {
  const user = await userById(db, 1);
  return { user, admin: true, scopes: null, credential: { kind: 'none' }, sudoBy: null };
}
