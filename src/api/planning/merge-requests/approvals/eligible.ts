import { effectiveMemberships } from '../../../../access/effective-memberships.ts';
import { AccessLevel } from '../../../../core/access-levels.ts';
import { today } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import type { StoredRule } from './rule-store.ts';
import { approvesFrom } from './voters.ts';

/** Maximum number of users per query. */
const BATCH = 1_000;

export type NamedApprovers = Pick<StoredRule, 'userIds' | 'groupIds' | 'roles'>;

/**
 * Eligible approvers by rule id: users named directly, by direct membership in a group, or by role, who have access to
 * the project. A bounded number of queries per 1,000 users.
 */
export async function eligibleApprovers(
  deps: Deps,
  db: Db,
  projectId: number,
  rules: readonly NamedApprovers[],
): Promise<User[][]> {
  const day = today(deps.clock);
  const candidates = await namedByRules(
    db,
    rules.map(({ userIds, groupIds, roles }) => ({ userIds, groupIds, roles, project_id: projectId })),
    day,
  );
  const users = await usersWithAccess(db, projectId, [...new Set(candidates.flatMap((ids) => [...ids]))], day);
  return candidates.map((ids) => [...ids].sort((a, b) => a - b).flatMap((id) => users.get(id) ?? []));
}

/**
 * Ids of the users that each rule names directly, by direct membership in a group, or by role, with or without access.
 */
export async function namedByRules(
  db: Db,
  rules: readonly (NamedApprovers & Pick<StoredRule, 'project_id'>)[],
  day: string,
): Promise<Set<number>[]> {
  const groups = await membersOf(db, 'group', [...new Set(rules.flatMap(({ groupIds }) => groupIds))], [], day);
  const withRoles = rules.filter(({ roles }) => roles.length > 0);
  const projects = [...new Set(withRoles.map(({ project_id }) => project_id))];
  const direct = await membersOf(db, 'project', projects, [...new Set(withRoles.flatMap(({ roles }) => roles))], day);
  return rules.map(({ project_id, userIds, groupIds, roles }) => {
    const byGroup = groupIds.flatMap((id) => groups.get(id) ?? []);
    const byRole = (direct.get(project_id) ?? []).filter(({ access_level }) => roles.includes(access_level));
    return new Set([...userIds, ...[...byGroup, ...byRole].map(({ user_id }) => user_id)]);
  });
}

interface Member {
  user_id: number;
  access_level: number;
}

async function membersOf(
  db: Db,
  type: 'group' | 'project',
  sourceIds: readonly number[],
  levels: readonly number[],
  day: string,
): Promise<Map<number, Member[]>> {
  if (sourceIds.length === 0) return new Map();
  let query = db
    .selectFrom('members')
    .select(['source_id', 'user_id', 'access_level'])
    .where('source_type', '=', type)
    .where('source_id', 'in', sourceIds)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]));
  if (levels.length > 0) query = query.where('access_level', 'in', levels);
  const members = new Map<number, Member[]>(sourceIds.map((id) => [id, []]));
  for (const { source_id, ...member } of await query.execute()) members.get(source_id)!.push(member);
  return members;
}

async function usersWithAccess(
  db: Db,
  projectId: number,
  ids: readonly number[],
  day: string,
): Promise<Map<number, User>> {
  const standings = (await effectiveMemberships(db, [projectId], ids, day)).get(projectId)!;
  const byId = new Map<number, User>();
  for (let at = 0; at < ids.length; at += BATCH) {
    const users = await db
      .selectFrom('users')
      .selectAll()
      .where('id', 'in', ids.slice(at, at + BATCH))
      .where('state', '=', 'active')
      .where('kind', '!=', 'ghost')
      .execute();
    for (const user of users) {
      if (user.admin === 1 || approvesFrom(AccessLevel.reporter, standings.get(user.id))) byId.set(user.id, user);
    }
  }
  return byId;
}
