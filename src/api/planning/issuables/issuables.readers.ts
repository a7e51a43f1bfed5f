import type { ProjectAbility } from '../../../access/access.abilities.ts';
import { projectMembership } from '../../../access/access.membership.ts';
import { projectPermissionsAt } from '../../../access/permissions.ts';
import { atLevel } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { IssuableTarget } from './issuables.target.ts';

/** Maximum number of assignees or reviewers, as on the platform. */
const MAX_PEOPLE = 200;
const READ: Record<IssuableType, ProjectAbility> = { Issue: 'read_issue', MergeRequest: 'read_merge_request' };

/**
 * Filters users to those who may see issues (or merge requests) of the project, in the given order: only they can be
 * assignees or reviewers. Ignores unknown ids and blocked users.
 */
export async function readersAmong(
  deps: Deps,
  db: Db,
  { type, project, namespace }: Omit<IssuableTarget, 'id'>,
  userIds: readonly number[],
): Promise<User[]> {
  const ids = [...new Set(userIds)].slice(0, MAX_PEOPLE);
  if (ids.length === 0) return [];
  const users = await db.selectFrom('users').selectAll().where('id', 'in', ids).where('state', '=', 'active').execute();
  const readers: User[] = [];
  for (const id of ids) {
    const user = users.find((each) => each.id === id);
    if (user === undefined) continue;
    const scope =
      user.admin === 1
        ? atLevel(AccessLevel.admin)
        : await projectMembership(db, project, namespace, id, today(deps.clock));
    const caller = { user, admin: user.admin === 1, scopes: null, credential: { kind: 'none' }, sudoBy: null } as const;
    if (projectPermissionsAt(caller, project, scope).can(READ[type])) readers.push(user);
  }
  return readers;
}
