import type { Standing } from '../access/standing.ts';
import type { Deps } from '../deps.ts';
import { canRunOn, loadProtections, protectionsOf } from '../repositories/protections.ts';
import { ciSettings } from './creation/ci-settings.ts';

/**
 * Whether somebody may run pipelines and jobs on a branch or tag: on a protected one those who may push to it, merge into
 * it or create it.
 * @param name without its folder
 */
export const mayRunOn = (deps: Deps, standing: Standing, kind: 'branch' | 'tag', name: string): Promise<boolean> =>
  canRunOn(deps, standing, standing.project.id, { ref: name, tag: kind === 'tag' });

/** Whether a branch or tag is protected. */
export const isProtectedRef = async (
  deps: Deps,
  projectId: number,
  kind: 'branch' | 'tag',
  name: string,
): Promise<boolean> => protectionsOf(await loadProtections(deps, projectId), kind, name).length > 0;

const OVERRIDE_LEVELS = { no_one_allowed: Number.POSITIVE_INFINITY, developer: 30, maintainer: 40, owner: 50 } as const;

/** Whether somebody may give a pipeline or job variables that go before those of the project. */
export function maySetVariables({ project, permissions }: Standing): boolean {
  const { restrict_user_defined_variables, ci_pipeline_variables_minimum_override_role } = ciSettings(project);
  const role = ci_pipeline_variables_minimum_override_role;
  const needed = restrict_user_defined_variables && role === 'developer' ? 'maintainer' : role;
  return permissions.level >= OVERRIDE_LEVELS[needed];
}
