import type { Db } from '../../../db/db.schema.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userAvatarUrl, usersById } from '../../identity/index.ts';

/** Placeholder for email addresses that are not public. */
export const HIDDEN = '[REDACTED]';

/** Renders a user for payloads. */
export const userPayload = (deps: Deps, user: User) => ({
  id: user.id,
  name: user.name,
  username: user.username,
  avatar_url: userAvatarUrl(deps, user),
  email: user.public_email || HIDDEN,
});

/** Renders a user who may be deleted. */
export const userPayloadOrNull = (deps: Deps, user: User | undefined) =>
  user === undefined ? null : userPayload(deps, user);

/** Returns a user by id; undefined for null or a deleted user. */
export const userOf = async (db: Db, id: number | null): Promise<User | undefined> =>
  id === null ? undefined : (await usersById(db, [id])).get(id);
