import { maintainer } from '../../access/ability-rule.ts';
import type { Deps } from '../../deps.ts';
import { mayRunFor, type OfRef } from '../../pipelines/pipelines.run-rights.ts';
import type { UserScope } from '../object-access.ts';
import { settingsOf } from '../spaces/index.ts';

/** Whether the caller may run a pipeline or job for its ref, which may be protected. */
export const mayRun = (deps: Deps, scope: UserScope, of: OfRef): Promise<boolean> => mayRunFor(deps, scope, of);

/** Whether the caller may cancel it; projects can restrict this to a role. */
export async function mayCancel(deps: Deps, scope: UserScope, of: OfRef): Promise<boolean> {
  const role = settingsOf(scope.project).ci_restrict_pipeline_cancellation_role;
  if (role === 'no_one' || (role === 'maintainer' && scope.permissions.level < maintainer)) return false;
  return mayRun(deps, scope, of);
}
