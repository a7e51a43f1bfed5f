import { groupsOf, lineageIds } from '../../../access/access.membership.ts';
import type { GroupCondition } from '../../../access/visible-groups.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';

interface ProjectShareScope {
  project: Project;
  namespace: Namespace;
}

const groupsAbove = ({ namespace }: ProjectShareScope): number[] =>
  namespace.kind === 'group' ? lineageIds(namespace.lineage) : [];

/** Condition for groups that a project or one of these groups is shared with, with a minimum level. */
function sharedWith(ids: readonly number[], type: 'project' | 'group', minLevel = 0): GroupCondition {
  if (ids.length === 0) return (eb) => eb.lit(false);
  return (eb) =>
    eb(
      'id',
      'in',
      eb
        .selectFrom('group_links')
        .select('group_id')
        .where('source_type', '=', type)
        .where('source_id', 'in', ids)
        .where('group_access', '>=', minLevel),
    );
}

/** Condition for the ancestor groups of a project and the groups it is shared with. */
export function groupsOfProject(
  scope: ProjectShareScope,
  options: { withShared: boolean; minLevel: number },
): GroupCondition {
  const above = groupsAbove(scope);
  const shared = sharedWith(options.withShared ? [scope.project.id] : [], 'project', options.minLevel);
  return (eb) => eb.or([above.length === 0 ? eb.lit(false) : eb('id', 'in', above), shared(eb)]);
}

/** Condition for groups that the project or an ancestor group is shared with. */
export function invitedGroups(scope: ProjectShareScope, relation: readonly ('direct' | 'inherited')[]): GroupCondition {
  const direct = sharedWith(relation.includes('direct') ? [scope.project.id] : [], 'project');
  const inherited = sharedWith(relation.includes('inherited') ? groupsAbove(scope) : [], 'group');
  return (eb) => eb.or([direct(eb), inherited(eb)]);
}

/** Condition for groups of the user that the project can be shared with, and is not yet. */
export function shareLocations(scope: ProjectShareScope, user: User, admin: boolean, day: string): GroupCondition {
  const above = groupsAbove(scope);
  const shared = sharedWith([scope.project.id], 'project');
  return (eb) =>
    eb.and([
      admin ? eb.lit(true) : eb('id', 'in', groupsOf(user.id, AccessLevel.guest, day)),
      above.length === 0 ? eb.lit(true) : eb('id', 'not in', above),
      eb.not(shared(eb)),
    ]);
}
