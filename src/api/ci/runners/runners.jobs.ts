import { isProjectOf } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import type { State } from '../../../ci/states.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Deps } from '../../../deps.ts';

export interface RunnerJobFilters {
  status?: State | undefined;
  systemId?: string | undefined;
  sort: 'asc' | 'desc';
  /** Only jobs after this id, in the direction of the order. */
  after?: number | undefined;
}

/** Query for the jobs of a runner, in projects where the caller is at least Reporter. */
export function jobsOfRunner(
  { db, clock }: Deps,
  caller: UserCaller,
  { id }: CiRunner,
  { status, systemId, sort, after }: RunnerJobFilters,
) {
  let query = db.selectFrom('ci_jobs').selectAll('ci_jobs').where('runner_id', '=', id);
  if (status !== undefined) query = query.where('ci_jobs.status', '=', status);
  if (after !== undefined) query = query.where('ci_jobs.id', sort === 'asc' ? '>' : '<', after);
  if (systemId !== undefined) {
    query = query.where('runner_manager_id', 'in', (eb) =>
      eb
        .selectFrom('ci_runner_managers')
        .select('ci_runner_managers.id')
        .where('runner_id', '=', id)
        .where('system_id', '=', systemId),
    );
  }
  if (!caller.admin) {
    const readable = isProjectOf(caller.user.id, AccessLevel.reporter, today(clock));
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('projects')
          .select('projects.id')
          .whereRef('projects.id', '=', 'ci_jobs.project_id')
          .where(readable),
      ),
    );
  }
  return query.orderBy('ci_jobs.id', sort);
}
