import type { Db } from '../../../db/db.schema.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userAvatarUrl, usersById } from '../../identity/index.ts';

/** What stands for an address that its user does not show to everybody. */
export const HIDDEN = '[REDACTED]';

/** A user as messages show one. */
export const userPayload = (deps: Deps, user: User) => ({
  id: user.id,
  name: user.name,
  username: user.username,
  avatar_url: userAvatarUrl(deps, user),
  email: user.public_email || HIDDEN,
});

/** The same of one who may be gone. */
export const userPayloadOrNull = (deps: Deps, user: User | undefined) =>
  user === undefined ? null : userPayload(deps, user);

/** The user of an id; undefined for nobody, or one who is gone. */
export const userOf = async (db: Db, id: number | null): Promise<User | undefined> =>
  id === null ? undefined : (await usersById(db, [id])).get(id);
