import { type Caller, isTokenBot, type UserCaller } from '../../../access/caller.ts';
import type { EffectiveMembership } from '../../../access/role-permissions.ts';
import { type MembershipFacts, recordMembership } from '../../../audit/members.audit.ts';
import { timestamp, today } from '../../../core/clock.ts';
import type { DomainEvents } from '../../../core/core.domain-events.ts';
import {
  ApiError,
  conflict,
  invalidModel,
  invalidParameter,
  notFound,
  recordNotFound,
} from '../../../core/core.errors.ts';
import { memberFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Member } from '../../../db/tables/members.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { requireUser } from '../../api.access.ts';
import { grantedBy } from '../member-roles/member-roles.assign.ts';
import { revalidateSourceAbility, type Source } from '../spaces.source.ts';
import { MANAGE_MEMBERS } from './members.abilities.ts';
import { findDirect, findUsers, type Users } from './members.queries.ts';
import {
  type MembershipInput,
  requireAllowedDomain,
  requireCover,
  requireMovable,
  requireOtherOwner,
  validateMembership,
} from './members.rules.ts';

/** Source and actor of a change of members. */
export interface Change {
  source: Source;
  caller: UserCaller;
  actor: User;
}

/** Returns the caller as the actor of a change. @throws ApiError 401 for anonymous callers */
export function changeOf({ caller, source }: { caller: Caller; source: Source }): Change {
  const known = requireUser(caller);
  return { source, caller: known, actor: known.user };
}

/** Returns the current membership of the actor, in the transaction of the change. @throws ApiError 401, 403, 404 */
export const requireManager = (deps: Deps, db: Db, { caller, source }: Change): Promise<EffectiveMembership> =>
  revalidateSourceAbility(deps, db, caller, source, MANAGE_MEMBERS);

const MAX_USERS = 100;

/**
 * Locks the owners of hierarchies, so that two of them cannot remove each other.
 * @param roots ids of the top-level groups
 */
export async function lockOwners(db: Db, roots: readonly number[]): Promise<void> {
  await db
    .updateTable('namespaces')
    .set((eb) => ({ kind: eb.ref('kind') }))
    .where('id', 'in', roots)
    .execute();
}

type MemberEvent = 'member.added' | 'member.updated' | 'member.removed';

/** Records a change of a membership in the transaction of the change. @param more `before`: the previous membership */
export async function recordMember<T extends MemberEvent>(
  deps: Deps,
  db: Db,
  type: T,
  member: Member,
  actorId: number | null,
  { before, ...more }: Partial<DomainEvents[T]> & { before?: MembershipFacts } = {},
): Promise<void> {
  const { source_type, source_id, user_id, access_level } = member;
  const payload = { member: memberFacts(member), source_type, source_id, user_id, access_level, ...more };
  await deps.events.record(db, type, payload as DomainEvents[T], {
    ...(source_type === 'project' ? { projectId: source_id } : { groupId: source_id }),
    actorId,
  });
  await recordMembership(deps, db, type, member, actorId, before);
}

/**
 * Inserts a membership with the handle of a transaction. Replaces an expired one, and deletes an access request.
 * @param own membership of the actor
 * @throws ApiError 400, 403, or 409 if the user is already a member
 */
export async function insertMember(
  deps: Deps,
  db: Db,
  { source, actor }: Pick<Change, 'source' | 'actor'>,
  own: EffectiveMembership,
  user: Pick<User, 'id'>,
  input: MembershipInput,
): Promise<Member> {
  const existing = await findDirect(db, source, user.id);
  const ended = existing?.expires_at != null && existing.expires_at <= today(deps.clock);
  if (existing !== undefined && !ended) throw conflict('Member already exists');
  requireCover(own, source, await validateMembership(deps, db, source, user.id, input));
  await requireAllowedDomain(db, source, user.id);
  if (existing !== undefined) await endExpired(deps, db, existing.id);
  const member = await db
    .insertInto('members')
    .values({
      source_type: source.kind,
      source_id: source.id,
      user_id: user.id,
      access_level: input.accessLevel,
      member_role_id: input.memberRoleId,
      expires_at: input.expiresAt,
      created_by_id: actor.id,
      created_at: timestamp(deps.clock),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await db
    .deleteFrom('access_requests')
    .where('source_type', '=', source.kind)
    .where('source_id', '=', source.id)
    .where('user_id', '=', user.id)
    .execute();
  await recordMember(deps, db, 'member.added', member, actor.id);
  return member;
}

/** Removes a membership if it has expired, with the handle of a transaction: it may have been extended meanwhile. */
export async function endExpired(deps: Deps, db: Db, id: number): Promise<void> {
  const ended = await db
    .deleteFrom('members')
    .where('id', '=', id)
    .where('expires_at', '<=', today(deps.clock))
    .returningAll()
    .executeTakeFirst();
  if (ended !== undefined) await recordMember(deps, db, 'member.removed', ended, null);
}

/** Adds a user. @throws ApiError 400, 403, 404 or 409 */
export async function addMember(deps: Deps, change: Change, who: Users, input: MembershipInput): Promise<Member> {
  const [user] = await findUsers(deps.db, who);
  if (user === undefined) throw notFound('User');
  try {
    return await deps.db.transaction().execute(async (db) => {
      const own = await requireManager(deps, db, change);
      return insertMember(deps, db, change, own, requirePerson(user, change.source), input);
    });
  } catch (error) {
    throw isUniqueViolation(error) ? conflict('Member already exists') : error;
  }
}

/**
 * Bots are members of a single project or group, service accounts of where they were created.
 * @throws ApiError 400, 404
 */
function requirePerson(user: User, source: Source): User {
  const { provisioned_by_group_id: group, provisioned_by_project_id: project } = user;
  const isForeign =
    (group !== null && !source.lineage.includes(group)) ||
    (project !== null && (source.kind !== 'project' || source.id !== project));
  if (isForeign) throw invalidModel({ user: ['is a service account of a different group or project'] });
  if (isTokenBot(user) || user.kind === 'ghost' || user.kind === 'placeholder') throw notFound('User');
  return user;
}

/**
 * Adds several users, independently of each other.
 * @returns failures by user name (or by unknown id or name)
 * @throws ApiError 400 for more than 100 users
 */
export async function addMembers(
  deps: Deps,
  change: Change,
  who: Users,
  input: MembershipInput,
): Promise<Record<string, string>> {
  const names = 'ids' in who ? who.ids.map(String) : who.usernames;
  if (names.length > MAX_USERS) throw invalidParameter(`Too many users specified (limit is ${MAX_USERS})`);
  const users = await findUsers(deps.db, who);
  const refused: Record<string, string> = {};
  const known = new Set(users.map((user) => ('ids' in who ? String(user.id) : user.username.toLowerCase())));
  for (const name of names) {
    const key = 'ids' in who ? String(Number(name)) : name.toLowerCase();
    if (!known.has(key)) refused[name] = '404 User Not Found';
  }
  for (const user of users) {
    try {
      await addMember(deps, change, { ids: [user.id] }, input);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused[user.username] = error.message;
    }
  }
  return refused;
}

/** Returns the user's direct membership of the source, inside a transaction. @throws ApiError 404 */
export async function requireDirect(deps: Deps, db: Db, source: Source, userId: number): Promise<Member> {
  const member = await findDirect(db, source, userId);
  const ended = member?.expires_at != null && member.expires_at <= today(deps.clock);
  if (member === undefined || ended) throw recordNotFound();
  return member;
}

/** Updates a membership. @throws ApiError 400, 403 or 404 */
export async function updateMember(
  deps: Deps,
  by: Change,
  userId: number,
  change: { accessLevel: number; expiresAt?: string | null | undefined; memberRoleId?: number | null | undefined },
): Promise<Member> {
  const { source, actor } = by;
  return deps.db.transaction().execute(async (db) => {
    await lockOwners(db, source.lineage.slice(0, 1));
    const own = await requireManager(deps, db, by);
    const member = await requireDirect(deps, db, source, userId);
    const [user] = await findUsers(db, { ids: [userId] });
    requireMovable(source, user!);
    await requireOtherOwner(deps, db, source, member);
    requireCover(own, source, await grantedBy(db, member));
    const input = {
      accessLevel: change.accessLevel,
      expiresAt: change.expiresAt === undefined ? member.expires_at : change.expiresAt,
      memberRoleId: change.memberRoleId ?? null,
    };
    requireCover(own, source, await validateMembership(deps, db, source, userId, input));
    const result = await db
      .updateTable('members')
      .set({
        access_level: input.accessLevel,
        expires_at: input.expiresAt,
        member_role_id: input.memberRoleId,
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', member.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordMember(deps, db, 'member.updated', result, actor.id, { before: member });
    return result;
  });
}
