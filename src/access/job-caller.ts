import type { Deps } from '../deps.ts';
import type { UserCaller } from './caller.ts';
import { userOfId } from './find-by-id.ts';

/**
 * The user of a background job, with their current rights; undefined if they are blocked or deleted. Nothing runs as
 * the ghost user.
 */
export async function jobCaller(deps: Deps, userId: number): Promise<UserCaller | undefined> {
  const [user] = await userOfId(deps.db, { id: userId });
  if (user === undefined || user.state !== 'active' || user.kind === 'ghost' || user.kind === 'placeholder')
    return undefined;
  return { user, admin: user.admin === 1, scopes: null, credential: { kind: 'none' }, sudoBy: null };
}
