import { AccessLevel } from '../../../core/access-levels.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { forbidden, invalidModel, recordNotFound } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { AccessRequest } from '../../../db/tables/access-requests.table.ts';
import type { Member } from '../../../db/tables/members.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { findMembership } from '../members/members.queries.ts';
import { type Change, insertMember, requireManager } from '../members/members.writes.ts';
import { effectiveMembers } from '../members/memberships.ts';
import { revalidateSourceAbility, type Source } from '../spaces.source.ts';

/** Ability for denying requests, in projects and groups. */
export const REMOVE = { project: 'remove_access_request', group: 'remove_group_access_request' } as const;

const about = (source: Source) => (source.kind === 'project' ? { projectId: source.id } : { groupId: source.id });

/** Requests access. @throws ApiError 403 for members and if requests are disabled, 400 for a second request */
export async function requestAccess(deps: Deps, source: Source, user: User): Promise<AccessRequest> {
  const { request_access_enabled: open } = source.kind === 'project' ? source.project : source.group;
  if (open === 0 || user.kind !== 'human') throw forbidden();
  if (source.kind === 'project' && source.namespace.owner_id === user.id) throw forbidden();
  const member = await findMembership(deps.db, effectiveMembers(source, today(deps.clock)), user.id);
  if (member !== undefined) throw forbidden();
  try {
    return await deps.db.transaction().execute(async (db) => {
      const inserted = await db
        .insertInto('access_requests')
        .values({
          source_type: source.kind,
          source_id: source.id,
          user_id: user.id,
          created_at: timestamp(deps.clock),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const requested_at = inserted.created_at;
      const payload = { source_type: source.kind, source_id: source.id, user_id: user.id, requested_at };
      await deps.events.record(db, 'access_request.created', payload, { ...about(source), actorId: user.id });
      return inserted;
    });
  } catch (error) {
    throw isUniqueViolation(error) ? invalidModel({ user: ['already exists in source'] }) : error;
  }
}

/** Deletes the request. @throws ApiError 404 if there is none */
async function takeRequest(db: Db, source: Source, userId: number): Promise<AccessRequest> {
  return db
    .deleteFrom('access_requests')
    .where('source_type', '=', source.kind)
    .where('source_id', '=', source.id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow(recordNotFound);
}

export interface Approval {
  accessLevel?: number | undefined;
  memberRoleId?: number | null | undefined;
}

/** Makes the requester a member, by default as Developer. @throws ApiError 400, 403, 404 or 409 */
export async function approveRequest(
  deps: Deps,
  change: Change,
  userId: number,
  { accessLevel = AccessLevel.developer, memberRoleId = null }: Approval,
): Promise<Member> {
  return deps.db.transaction().execute(async (db) => {
    const own = await requireManager(deps, db, change);
    await takeRequest(db, change.source, userId);
    return insertMember(deps, db, change, own, { id: userId }, { accessLevel, expiresAt: null, memberRoleId });
  });
}

/** Denies a request, or withdraws one's own. @throws ApiError 401, 403, 404 */
export async function removeRequest(deps: Deps, change: Change, userId: number): Promise<void> {
  const { source, actor, caller } = change;
  await deps.db.transaction().execute(async (db) => {
    if (userId !== actor.id) await revalidateSourceAbility(deps, db, caller, source, REMOVE);
    const { created_at: requested_at } = await takeRequest(db, source, userId);
    const payload = { source_type: source.kind, source_id: source.id, user_id: userId, requested_at };
    await deps.events.record(db, 'access_request.removed', payload, { ...about(source), actorId: actor.id });
  });
}
