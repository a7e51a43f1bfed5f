import type { UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Member } from '../../../db/tables/members.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { grantedByAll } from '../member-roles/member-roles.assign.ts';
import { groupSource } from '../spaces.source.ts';
import { findBelow, findDirect, findUsers } from './members.queries.ts';
import { requireCover, requireMovable, requireOtherOwner } from './members.rules.ts';
import { type Change, lockOwners, recordMember, requireDirect, requireManager } from './members.writes.ts';

/**
 * Removes a member, whose level must not exceed that of the actor, except for oneself. Memberships below a group are
 * removed as well unless `skipSubresources`.
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
    if (own !== null) requireCover(own, source, ...(await grantedByAll(db, [member, ...below])));
    const more = { unassign_issuables: options.unassignIssuables };
    await deleteAll(deps, db, [member, ...below], actor.id, more);
  });
}

/**
 * Removes a user from a group and everything below it.
 * @returns whether there was anything to remove
 * @throws ApiError 403 for the last owner and for bots; 401, 403 or 404 if the caller has lost the right meanwhile
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
    await revalidateGroupAbility(deps, db, caller, group.id, 'remove_billable_member');
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
