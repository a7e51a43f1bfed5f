import { maintainer } from '../../access/ability-rule.ts';
import type { Deps } from '../../deps.ts';
import { mayRunOn } from '../../pipelines/run-rights.ts';
import type { UserScope } from '../object-access.ts';
import { settingsOf } from '../spaces/index.ts';

/** What a pipeline or a job runs for. */
interface OfRef {
  ref: string;
  tag: 0 | 1;
}

/** Whether the caller may have a pipeline or a job run for its ref, which may be protected. */
export const mayRun = (deps: Deps, scope: UserScope, { ref, tag }: OfRef): Promise<boolean> =>
  mayRunOn(deps, scope, tag === 1 ? 'tag' : 'branch', ref);

/** The same for canceling it, which the project may keep to some. */
export async function mayCancel(deps: Deps, scope: UserScope, of: OfRef): Promise<boolean> {
  const role = settingsOf(scope.project).ci_restrict_pipeline_cancellation_role;
  if (role === 'no_one' || (role === 'maintainer' && scope.permissions.level < maintainer)) return false;
  return mayRun(deps, scope, of);
}
