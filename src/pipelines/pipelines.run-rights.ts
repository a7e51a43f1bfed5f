import type { CallerInProject } from '../access/caller-in-project.ts';
import type { Deps } from '../deps.ts';
import { canRunOn, loadProtections, protectionsOf } from '../repositories/repository.protections.ts';
import { ciSettings } from './creation/ci-settings.ts';

/**
 * Whether a user may run pipelines and jobs on a branch or tag: on a protected one, those who may push to it, merge
 * into it or create it.
 * @param name without `refs/heads/` or `refs/tags/`
 */
export const mayRunOn = (deps: Deps, scope: CallerInProject, kind: 'branch' | 'tag', name: string): Promise<boolean> =>
  canRunOn(deps, scope, scope.project.id, { ref: name, tag: kind === 'tag' });

/** Ref of an existing pipeline or job, and whether it has access to protected resources. */
export interface OfRef {
  ref: string;
  tag: 0 | 1;
  protected: 0 | 1;
}

const MERGE_REQUEST = /^refs\/merge-requests\/(\d{1,15})\//;

/**
 * Whether a user may continue an existing pipeline or job. One of a merge request between protected branches has access
 * to both, which requires the right to run on both.
 */
export async function mayRunFor(deps: Deps, scope: CallerInProject, of: OfRef): Promise<boolean> {
  const iid = of.protected === 1 ? MERGE_REQUEST.exec(of.ref)?.[1] : undefined;
  if (iid === undefined) return mayRunOn(deps, scope, of.tag === 1 ? 'tag' : 'branch', of.ref);
  const row = await deps.db
    .selectFrom('merge_requests')
    .select(['source_branch', 'target_branch'])
    .where('project_id', '=', scope.project.id)
    .where('iid', '=', Number(iid))
    .executeTakeFirst();
  if (row === undefined) return false;
  for (const branch of [row.source_branch, row.target_branch]) {
    if (!(await mayRunOn(deps, scope, 'branch', branch))) return false;
  }
  return true;
}

/** Whether a branch or tag is protected. */
export const isProtectedRef = async (
  deps: Deps,
  projectId: number,
  kind: 'branch' | 'tag',
  name: string,
): Promise<boolean> => protectionsOf(await loadProtections(deps, projectId), kind, name).length > 0;

const OVERRIDE_LEVELS = { no_one_allowed: Number.POSITIVE_INFINITY, developer: 30, maintainer: 40, owner: 50 } as const;

/** Whether a user may pass variables to a pipeline or job, which override those of the project. */
export function maySetVariables({ project, permissions }: CallerInProject): boolean {
  const { restrict_user_defined_variables, ci_pipeline_variables_minimum_override_role } = ciSettings(project);
  const role = ci_pipeline_variables_minimum_override_role;
  const needed = restrict_user_defined_variables && role === 'developer' ? 'maintainer' : role;
  return permissions.level >= OVERRIDE_LEVELS[needed];
}
