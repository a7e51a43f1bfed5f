import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../../deps.ts';
import { presentManagers, presentRunners } from './runners.views.ts';

const each = (ids: readonly (number | null)[]): number[] => [...new Set(ids.filter((id) => id !== null))];

/** Loads the runners and machines of jobs, by id, with a fixed number of queries, or none if no job has a runner. */
export async function runnersOfJobs(deps: Deps, jobs: readonly CiJob[]) {
  const ids = each(jobs.map(({ runner_id }) => runner_id));
  const rows =
    ids.length === 0 ? [] : await deps.db.selectFrom('ci_runners').selectAll().where('id', 'in', ids).execute();
  const machineIds = rows.length === 0 ? [] : each(jobs.map(({ runner_manager_id }) => runner_manager_id));
  const machines =
    machineIds.length === 0
      ? []
      : await deps.db.selectFrom('ci_runner_managers').selectAll().where('id', 'in', machineIds).execute();
  return {
    runners: new Map((rows.length === 0 ? [] : await presentRunners(deps, rows)).map((runner) => [runner.id, runner])),
    managers: new Map((await presentManagers(deps, rows, machines)).map((machine) => [machine.id, machine])),
  };
}
