import { developer, maintainer, owner } from '../../access/ability-rule.ts';
import type { Deps } from '../../deps.ts';
import { canRunOn } from '../../repositories/protections.ts';
import type { UserScope } from '../object-access.ts';
import { settingsOf } from '../spaces/index.ts';

/** What a pipeline or a job runs for. */
interface OfRef {
  ref: string;
  tag: 0 | 1;
}

/** Whether the caller may have a pipeline or a job run for its ref, which may be protected. */
export const mayRun = (deps: Deps, scope: UserScope, { ref, tag }: OfRef): Promise<boolean> =>
  canRunOn(deps, scope, scope.project.id, { ref, tag: tag === 1 });

/** The same for canceling it, which the project may keep to some. */
export async function mayCancel(deps: Deps, scope: UserScope, of: OfRef): Promise<boolean> {
  const role = settingsOf(scope.project).ci_restrict_pipeline_cancellation_role;
  if (role === 'no_one' || (role === 'maintainer' && scope.permissions.level < maintainer)) return false;
  return mayRun(deps, scope, of);
}

const OVERRIDE_LEVELS = { developer, maintainer, owner, no_one_allowed: Number.POSITIVE_INFINITY } as const;

/** Whether the caller may give pipelines and jobs variables of his own. */
export function maySetVariables({ project, permissions }: Pick<UserScope, 'project' | 'permissions'>): boolean {
  const { restrict_user_defined_variables, ci_pipeline_variables_minimum_override_role } = settingsOf(project);
  const least = OVERRIDE_LEVELS[ci_pipeline_variables_minimum_override_role];
  return permissions.level >= (restrict_user_defined_variables ? Math.max(least, maintainer) : least);
}
