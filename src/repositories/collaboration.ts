import type { Caller } from '../access/caller.ts';
import { findProject } from '../access/lookup.ts';
import { projectPermissions } from '../access/permissions.ts';
import type { Project } from '../db/tables/projects.ts';
import type { Deps } from '../deps.ts';

/** Open merge requests of a fork that are looked at. */
const MAX_OPEN = 200;

/**
 * Branches of a fork that the caller may push to although he may not push to the fork: an open merge request that allows
 * collaboration leads from them to a project that he may push to.
 */
export async function collaborationBranches(
  deps: Deps,
  caller: Caller,
  project: Pick<Project, 'id'>,
): Promise<ReadonlySet<string>> {
  if (caller.user === null) return new Set();
  const open = await deps.db
    .selectFrom('merge_requests')
    .select(['source_branch', 'project_id'])
    .where('source_project_id', '=', project.id)
    .where('state', '=', 'opened')
    .where('allow_collaboration', '=', 1)
    .orderBy('id', 'desc')
    .limit(MAX_OPEN)
    .execute();
  const branches = new Set<string>();
  for (const targetId of new Set(open.map(({ project_id }) => project_id))) {
    const target = await findProject(deps, String(targetId));
    if (target === undefined) continue;
    const permissions = await projectPermissions(deps, caller, target.project, target.namespace);
    if (!permissions.can('push_code')) continue;
    for (const { project_id, source_branch } of open) if (project_id === targetId) branches.add(source_branch);
  }
  return branches;
}
