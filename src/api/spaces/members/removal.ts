import type { UserCaller } from '../../../access/caller.ts';
import { requireStillInGroup } from '../../../access/standing.ts';
import type { DomainEvents } from '../../../core/domain-events.ts';
import type { Db } from '../../../db/schema.ts';
import type { Member } from '../../../db/tables/members.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Deps } from '../../../deps.ts';
import { givenByAll } from '../member-roles/give.ts';
import { groupSource } from '../source.ts';
import { findBelow, findDirect, findUsers } from './queries.ts';
import { requireCover, requireMovable, requireOtherOwner } from './rules.ts';
import { type Change, lockOwners, recordMember, requireDirect, requireManager } from './writes.ts';

/**
 * Removes a member, none who has more than the actor but themselves. Memberships below a group end with it unless
 * `skipSubresources`.
 * @throws ApiError 403 or 404
 */
export async function removeMember(
  deps: Deps,
  change: Change,
  userId: number,
  options: { skipSubresources: boolean; unassignIssuables: boolean },
): Promise<void> {
  const { source, actor } = change;
  await deps.db.transaction().execute(async (db) => {
    await lockOwners(db, source.lineage.slice(0, 1));
    const own = userId === actor.id ? null : await requireManager(deps, db, change);
    const member = await requireDirect(deps, db, source, userId);
    const [user] = await findUsers(db, { ids: [userId] });
    requireMovable(source, user!);
    await requireOtherOwner(deps, db, source, member);
    const below =
      source.kind === 'group' && !options.skipSubresources ? await findBelow(db, source.group.lineage, userId) : [];
    if (own !== null) requireCover(own, source, ...(await givenByAll(db, [member, ...below])));
    const more = { unassign_issuables: options.unassignIssuables };
    await deleteAll(deps, db, [member, ...below], actor.id, more);
  });
}

/**
 * Removes a user from a group and from every group and project below it.
 * @returns whether there was anything to remove
 * @throws ApiError 403 for the last owner and for bots, and 401, 403 or 404 when the caller has lost the right meanwhile
 */
export async function removeFromTree(
  deps: Deps,
  caller: UserCaller,
  group: Namespace,
  userId: number,
): Promise<boolean> {
  const source = groupSource(group);
  return deps.db.transaction().execute(async (db) => {
    await lockOwners(db, source.lineage.slice(0, 1));
    await requireStillInGroup(deps, db, caller, group.id, 'remove_billable_member');
    const own = await findDirect(db, source, userId);
    const below = await findBelow(db, group.lineage, userId);
    const all = own === undefined ? below : [own, ...below];
    if (all.length === 0) return false;
    const [user] = await findUsers(db, { ids: [userId] });
    requireMovable(source, user!);
    if (own !== undefined) await requireOtherOwner(deps, db, source, own);
    await deleteAll(deps, db, all, caller.user.id, {});
    return true;
  });
}

async function deleteAll(
  deps: Deps,
  db: Db,
  members: readonly Member[],
  actorId: number,
  more: Partial<DomainEvents['member.removed']>,
): Promise<void> {
  for (const each of members) {
    await db.deleteFrom('members').where('id', '=', each.id).execute();
    await recordMember(deps, db, 'member.removed', each, actorId, more);
  }
}
