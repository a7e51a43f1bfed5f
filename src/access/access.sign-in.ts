import { recordFailedSignIn } from '../audit/failed-sign-ins.ts';
import { userFacts } from '../core/event-facts.ts';
import { equalsIgnoringCase } from '../db/like.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';

const MAX_PASSWORD = 1_024;
/** User states that prevent sign-in. */
const BLOCKED: readonly string[] = ['blocked', 'ldap_blocked', 'banned'];

/**
 * Whether the user cannot sign in with a password alone: administrators may be required to use a second factor, which
 * cannot be set up on this server. Tokens still work.
 */
export const requiresSecondFactor = ({ settings }: Pick<Deps, 'settings'>, user: Pick<User, 'admin'>): boolean =>
  user.admin === 1 && settings.now.require_admin_two_factor_authentication;

/**
 * Finds the user by name (or email address) and password; undefined if they do not match, including for unknown users.
 * Does not check whether the user may sign in: see `checkUserState`. Failures are recorded in audit events.
 * @param from caller whose share the check counts against, and their IP address; those of the current request by
 *   default
 * @throws ApiError 429 after too many failures, 503 while too many sign-ins are in progress
 */
export async function userOfPassword(
  deps: Deps,
  name: string,
  password: string,
  from: { share?: string; address?: string } = {},
): Promise<User | undefined> {
  if (name === '' || name.includes('\0') || password === '' || password.length > MAX_PASSWORD) return undefined;
  const user = await findByLogin(deps, name);
  const stored = user?.kind === 'human' ? user.password_hash : null;
  const fits = await deps.passwords.check(name, password, stored, from.share);
  // The check takes long: the user may have been blocked or changed their password meanwhile.
  const now = fits && user !== undefined && stored !== null ? await findStill(deps, user.id, stored) : undefined;
  if (now === undefined) await recordFailedSignIn(deps, deps.passwords.reports, name, user?.id ?? null, from.address);
  else if (BLOCKED.includes(now.state)) {
    const payload = { user_id: now.id, user: userFacts(now) };
    await deps.events.record(deps.db, 'user.login_refused', payload, { actorId: now.id });
  }
  return now;
}

function findByLogin({ db }: Deps, name: string): Promise<User | undefined> {
  const users = db.selectFrom('users').selectAll();
  const column = name.includes('@') ? 'email' : 'username';
  return users.where((eb) => equalsIgnoringCase(eb.ref(column), name)).executeTakeFirst();
}

const findStill = ({ db }: Deps, id: number, passwordHash: string): Promise<User | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).where('password_hash', '=', passwordHash).executeTakeFirst();
