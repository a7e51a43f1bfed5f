import type { UserCaller } from '../../../access/caller.ts';
import { userOfId } from '../../../access/find-by-id.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';

/** A caller for checks of what a user may see, without a token. */
export const viewerOf = (user: User): UserCaller => ({
  user,
  admin: user.admin === 1,
  scopes: null,
  credential: { kind: 'none' },
  sudoBy: null,
});

/** The actor of an event; undefined for the system, and for deleted or blocked users. */
export async function actorOf({ db }: Deps, userId: number | null): Promise<UserCaller | undefined> {
  if (userId === null) return undefined;
  const [user] = await userOfId(db, { id: userId });
  return user?.state === 'active' ? viewerOf(user) : undefined;
}
