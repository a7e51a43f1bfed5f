import { type CallerInProject, callerInProject } from '../access/caller-in-project.ts';
import { effectiveMemberships } from '../access/effective-memberships.ts';
import { usersOfIds } from '../access/find-by-id.ts';
import { projectPermissionsAt } from '../access/permissions.ts';
import { atLevel } from '../access/role-permissions.ts';
import { AccessLevel } from '../core/access-levels.ts';
import { today } from '../core/clock.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import { canMergeInto, loadProtections, protectionsOf } from './repository.protections.ts';

/** Maximum number of open merge requests of a fork that are considered. */
const MAX_OPEN = 200;

interface Shared {
  source_branch: string;
  target_branch: string;
  project_id: number;
  author_id: number;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Branches of a fork that the caller may push to without push access to the fork: the source branch of an open merge
 * request that allows collaboration, if the caller may merge into its target and its author may still push to the fork.
 * Excludes protected branches and private projects.
 */
export async function collaborationBranches(deps: Deps, scope: CallerInProject): Promise<ReadonlySet<string>> {
  const { caller, project, permissions } = scope;
  if (caller.user === null || project.visibility === 'private') return NONE;
  if (!permissions.can('push_code', { as: 'collaborator' })) return NONE;
  const protections = await loadProtections(deps, project.id);
  const open = (await sharedBranches(deps, project)).filter(
    ({ source_branch }) => protectionsOf(protections, 'branch', source_branch).length === 0,
  );
  if (open.length === 0) return NONE;
  const authors = await authorsWhoPush(deps, project, open);
  const branches = new Set<string>();
  for (const targetId of new Set(open.map(({ project_id }) => project_id))) {
    const target = await callerInProject(deps, caller, targetId);
    if (target === undefined || target.project.visibility === 'private') continue;
    for (const { project_id, source_branch, target_branch, author_id } of open) {
      if (project_id !== targetId || branches.has(source_branch) || !authors.has(author_id)) continue;
      // The right to merge is not enough: collaboration shares the right to push.
      if (!target.permissions.can('push_code')) break;
      if (await canMergeInto(deps, target, targetId, target_branch)) branches.add(source_branch);
    }
  }
  return branches;
}

const sharedBranches = ({ db }: Deps, { id }: Project): Promise<Shared[]> =>
  db
    .selectFrom('merge_requests')
    .select(['source_branch', 'target_branch', 'project_id', 'author_id'])
    .where('source_project_id', '=', id)
    .where('project_id', '!=', id)
    .where('state', '=', 'opened')
    .where('allow_collaboration', '=', 1)
    .orderBy('id', 'desc')
    .limit(MAX_OPEN)
    .execute();

/** Authors of merge requests who may push to the source project. */
async function authorsWhoPush(deps: Deps, project: Project, open: readonly Shared[]): Promise<Set<number>> {
  const ids = [...new Set(open.map(({ author_id }) => author_id))];
  const users = await usersOfIds(deps.db, { ids });
  const standings = (await effectiveMemberships(deps.db, [project.id], ids, today(deps.clock))).get(project.id)!;
  const pushes = (user: User): boolean => {
    if (user.state !== 'active') return false;
    const admin = user.admin === 1;
    const caller = { user, admin, scopes: null, credential: { kind: 'none' }, sudoBy: null } as const;
    const scope = admin ? atLevel(AccessLevel.admin) : (standings.get(user.id) ?? atLevel(0));
    return projectPermissionsAt(caller, project, scope).can('push_code');
  };
  return new Set(users.filter(pushes).map(({ id }) => id));
}
