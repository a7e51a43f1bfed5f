import { effectivePlan, includesPlan } from '../../../access/access.plan.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { effectiveMemberships } from '../../../access/effective-memberships.ts';
import { type ProjectPermissions, projectPermissionsAt } from '../../../access/permissions.ts';
import { atLevel } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { BATCH } from './preferences.ts';
import type { ProjectContext } from './project-context.ts';

/** Whether a user with these permissions in the project may read the topic. */
export type MayRead = (reader: UserCaller, permissions: ProjectPermissions) => boolean;

/** A user who may be notified, with their permissions in the project. */
export interface Reader {
  user: User;
  permissions: ProjectPermissions;
}

/**
 * Filters users to those who may get a mail about a topic in the project now: active human users with a confirmed
 * address who may read it. Two statements per 500 users.
 */
export async function readersAmong(
  deps: Deps,
  place: ProjectContext,
  mayRead: MayRead,
  userIds: readonly number[],
): Promise<Map<number, Reader>> {
  const readers = new Map<number, Reader>();
  if (place.mailsDisabled) return readers;
  const roles = includesPlan(await effectivePlan(deps), 'ultimate');
  const { project } = place;
  for (let at = 0; at < userIds.length; at += BATCH) {
    const some = userIds.slice(at, at + BATCH);
    const users = await reachableUsers(deps, some);
    const standings = (await effectiveMemberships(deps.db, [project.id], some, today(deps.clock))).get(project.id)!;
    for (const user of users) {
      const admin = user.admin === 1;
      const member = standings.get(user.id) ?? atLevel(0);
      const topicContext = admin ? atLevel(AccessLevel.admin) : roles ? member : atLevel(member.level);
      const caller: UserCaller = { user, admin, scopes: null, credential: { kind: 'none' }, sudoBy: null };
      const permissions = projectPermissionsAt(caller, project, topicContext);
      if (mayRead(caller, permissions)) readers.set(user.id, { user, permissions });
    }
  }
  return readers;
}

/** Filters at most 500 users to those who can receive mails. */
export const reachableUsers = (deps: Pick<Deps, 'db'>, userIds: readonly number[]): Promise<User[]> =>
  deps.db
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', userIds)
    .where('state', '=', 'active')
    .where('kind', '=', 'human')
    .where('confirmed_at', 'is not', null)
    .execute();
