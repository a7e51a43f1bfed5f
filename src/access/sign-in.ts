import { equalsIgnoringCase } from '../db/like.ts';
import type { User } from '../db/tables/users.ts';
import type { Deps } from '../deps.ts';

const MAX_PASSWORD = 1_024;

/**
 * The user of a name (or e-mail address) and password; undefined when they do not fit, be it that there is no such
 * user. Whether the user may sign in is not looked at: see `checkUserState`.
 * @param share whose share the check counts against; that of the request's caller when absent
 * @throws ApiError 429 after too many failures, 503 while too many sign in
 */
export async function userOfPassword(
  deps: Deps,
  name: string,
  password: string,
  share?: string,
): Promise<User | undefined> {
  if (name === '' || password === '' || password.length > MAX_PASSWORD) return undefined;
  const user = await findByLogin(deps, name);
  const stored = user?.kind === 'human' ? user.password_hash : null;
  return (await deps.passwords.check(name, password, stored, share)) ? user : undefined;
}

function findByLogin({ db }: Deps, name: string): Promise<User | undefined> {
  const users = db.selectFrom('users').selectAll();
  const column = name.includes('@') ? 'email' : 'username';
  return users.where((eb) => equalsIgnoringCase(eb.ref(column), name)).executeTakeFirst();
}
