import type { Caller } from '../../access/caller.ts';
import { revalidateGroupAbility, revalidateProjectAbility } from '../../access/caller-in-project.ts';
import type { Deps } from '../../deps.ts';
import { HEADS, isServerRef } from '../../git/refs/index.ts';
import { repositoryOf } from '../change-refs.ts';
import { OWN_REF, refuseBranchName } from '../check-changes.ts';
import type { WikiOwner } from '../repository.wikis.ts';
import type { Push, PushGuard } from './move-pushed-refs.ts';

/**
 * Checks a push to a wiki. Wikis have no protected refs, but their default branch cannot be deleted.
 * @returns as `GitTarget.check`
 */
export async function checkWikiPush(
  deps: Deps,
  caller: Caller,
  owner: WikiOwner,
  { holder, updates }: Push,
): Promise<string | PushGuard> {
  const head = await repositoryOf(deps, holder).refs.head();
  for (const { ref, old, new: oid } of updates) {
    if (isServerRef(ref)) return OWN_REF;
    if (oid === null && ref === `${HEADS}${head}`) return 'The default branch of a wiki cannot be deleted.';
    const named = old === null && ref.startsWith(HEADS) ? refuseBranchName(ref.slice(HEADS.length)) : null;
    if (named !== null) return named;
  }
  return () => async (deps) => {
    if (owner.type === 'project') await revalidateProjectAbility(deps, deps.db, caller, owner.id, 'create_wiki');
    else await revalidateGroupAbility(deps, deps.db, caller, owner.id, 'create_group_wiki');
  };
}
