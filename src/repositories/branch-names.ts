import { type ApiError, refused } from '../core/core.errors.ts';
import { findRefConflict } from '../git/refs/index.ts';
import type { Repository } from '../git/repository/index.ts';

/** Maximum length of client text repeated in a response. */
const MAX_ECHO = 255;

/** 400 in the platform's words for a branch that cannot be created. */
export const cannotCreateBranch = (name: string, reason: string): ApiError =>
  refused(`Failed to create branch '${name.slice(0, MAX_ECHO)}': ${reason}`);

/** Refuses a branch whose name is a folder of another branch's name, or vice versa. @throws ApiError 400 */
export async function refuseRefConflict(repo: Repository, name: string): Promise<void> {
  const ref = `refs/heads/${name}`;
  if ((await repo.refs.resolve(ref)) !== null || (await findRefConflict(repo.refs, ref)) === null) return;
  throw cannotCreateBranch(name, 'its name conflicts with another branch');
}
