import type { UserCaller } from '../../access/caller.ts';
import { findProject } from '../../access/lookup.ts';
import { projectPermissions } from '../../access/permissions.ts';
import { mergeRequestUrl } from '../../api/planning/index.ts';
import { settingsOf } from '../../api/spaces/index.ts';
import { pluck } from '../../core/pluck.ts';
import type { Deps } from '../../deps.ts';
import type { ProjectAccess } from '../project-access.ts';
import type { PushedBranch } from './pushed.ts';

/** Maximum number of pushed branches for which addresses are printed. */
const MAX_BRANCHES = 10;

/**
 * Returns lines for the terminal: for each pushed branch, the address of its open merge request or the address to
 * create one.
 * @param branches without the default branch
 */
export async function mergeRequestAddresses(
  deps: Deps,
  access: ProjectAccess & { caller: UserCaller },
  branches: readonly PushedBranch[],
): Promise<string[]> {
  const { project, permissions } = access;
  if (branches.length === 0 || branches.length > MAX_BRANCHES) return [];
  if (!settingsOf(project).printing_merge_request_link_enabled) return [];
  const open = await openMergeRequests(deps, access, branches);
  const mayCreate = permissions.can('create_merge_request_from') && permissions.can('read_merge_request');
  return branches.flatMap(({ name }) => {
    const url = open.get(name);
    if (url !== undefined) return ['', `View merge request for ${name}:`, `  ${url}`];
    if (!mayCreate) return [];
    const query = `merge_request%5Bsource_branch%5D=${encodeURIComponent(name.toWellFormed())}`;
    const page = `${deps.externalUrl()}/${project.full_path}/-/merge_requests/new?${query}`;
    return ['', `To create a merge request for ${name}, visit:`, `  ${page}`];
  });
}

/** Addresses of the newest open merge request of each branch, limited to those that the caller may see. */
async function openMergeRequests(
  deps: Deps,
  { project, caller }: ProjectAccess,
  branches: readonly PushedBranch[],
): Promise<Map<string, string>> {
  const rows = await deps.db
    .selectFrom('merge_requests')
    .select(['iid', 'project_id', 'source_branch'])
    .where('source_project_id', '=', project.id)
    .where('source_branch', 'in', pluck(branches, 'name'))
    .where('state', 'in', ['opened', 'locked'])
    .orderBy('id')
    .execute();
  const urls = new Map<string, string>();
  for (const projectId of new Set(rows.map(({ project_id }) => project_id))) {
    const target = await findProject(deps, String(projectId));
    if (target === undefined) continue;
    const permissions = await projectPermissions(deps, caller, target.project, target.namespace);
    if (!permissions.can('read_merge_request')) continue;
    for (const { iid, source_branch } of rows.filter((row) => row.project_id === projectId)) {
      urls.set(source_branch, mergeRequestUrl(deps, target.project.full_path, iid));
    }
  }
  return urls;
}
