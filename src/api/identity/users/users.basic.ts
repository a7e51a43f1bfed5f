import { type Static, Type } from 'typebox';
import { usersOfIds } from '../../../access/find-by-id.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { Nullable } from '../../../http/http.schema.ts';

/** Fields of the user summary that other objects embed (part 1, section 2). */
export const userBasicFields = {
  id: Type.Integer(),
  username: Type.String(),
  public_email: Nullable(Type.String()),
  name: Type.String(),
  state: Type.String(),
  locked: Type.Boolean(),
  avatar_url: Nullable(Type.String()),
  web_url: Type.String(),
};

export const UserBasic = Type.Object(userBasicFields);
export type UserBasic = Static<typeof UserBasic>;

/** URL of the user's avatar; null for none. */
export function userAvatarUrl(deps: Pick<Deps, 'externalUrl'>, user: Pick<User, 'id' | 'avatar'>): string | null {
  if (user.avatar === null) return null;
  const file = user.avatar.slice(user.avatar.indexOf('/') + 1);
  return `${deps.externalUrl()}/uploads/-/system/user/avatar/${user.id}/${encodeURIComponent(file)}`;
}

/** The user as other objects embed it. */
export function userBasic(deps: Pick<Deps, 'externalUrl'>, user: User): UserBasic {
  return {
    id: user.id,
    username: user.username,
    public_email: user.public_email,
    name: user.name,
    state: user.state,
    locked: false,
    avatar_url: userAvatarUrl(deps, user),
    web_url: `${deps.externalUrl()}/${user.username}`,
  };
}

/** Loads users by ids, in one query; unknown ids and nulls are left out. */
export async function usersById(db: Db, ids: Iterable<number | null>): Promise<Map<number, User>> {
  const uniqueIds = [...new Set(ids)].filter((id) => id !== null);
  if (uniqueIds.length === 0) return new Map();
  const users = await usersOfIds(db, { ids: uniqueIds });
  return new Map(users.map((user) => [user.id, user]));
}
