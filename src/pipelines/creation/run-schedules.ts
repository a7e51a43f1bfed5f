import { sql } from 'kysely';
import { jobCaller } from '../../access/job-caller.ts';
import { timestamp } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import type { CiPipelineSchedule } from '../../db/tables/ci-pipeline-schedules.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { inMaintenance } from '../../settings/settings.maintenance.ts';
import { openedVariable } from '../variables/at-rest.ts';
import { createPipeline } from './pipeline-creation.create.ts';
import type { Creation } from './pipeline-creation.request.ts';
import type { PipelineVariableInput } from './pipeline-creation.save.ts';
import { advanceSchedule, deactivateSchedulesOf } from './schedules.ts';

const START_DUE = jobKind<Record<string, never>>('ci.start-due-schedules', { lane: 'ci' });
const RUN = jobKind<{ schedule_id: number; due: string }>('ci.run-schedule', { lane: 'ci', maxAttempts: 6 });
const LOOK_EVERY_MS = 30_000;
const BATCH_SIZE = 100;
/** Must match the condition of the partial index on due schedules. */
const ACTIVE = sql<boolean>`active = 1`;

/** Starts due schedules, in one of all processes. */
export function registerSchedules(deps: Deps): void {
  deps.jobs.every(START_DUE, { everyMs: LOOK_EVERY_MS }, (_payload, { signal }) => startDue(deps, signal));
  deps.jobs.register(RUN, ({ schedule_id, due }) => runDue(deps, schedule_id, due));
}

async function startDue(deps: Deps, signal: AbortSignal): Promise<void> {
  // Runs that fall due during maintenance are started once afterwards.
  for (let full = !inMaintenance(deps); full && !signal.aborted; ) {
    const due = await deps.db
      .selectFrom('ci_pipeline_schedules')
      .selectAll()
      .where(ACTIVE)
      .where('next_run_at', '<=', timestamp(deps.clock))
      .orderBy('next_run_at')
      .orderBy('id')
      .limit(BATCH_SIZE)
      .execute();
    for (const schedule of due) await announce(deps, schedule);
    full = due.length === BATCH_SIZE;
  }
}

/** Sets the next run and enqueues the current one, in one transaction. */
const announce = (deps: Deps, schedule: CiPipelineSchedule): Promise<void> =>
  deps.db.transaction().execute(async (db) => {
    if (!(await advanceSchedule(deps, db, schedule))) return;
    const { id: schedule_id, project_id: projectId, next_run_at } = schedule;
    await deps.jobs.enqueue(db, RUN, { schedule_id, due: next_run_at! }, { projectId });
  });

async function runDue(deps: Deps, scheduleId: number, due: string): Promise<void> {
  const schedule = await deps.db
    .selectFrom('ci_pipeline_schedules')
    .selectAll()
    .where('id', '=', scheduleId)
    .executeTakeFirst();
  if (schedule === undefined || schedule.active === 0 || schedule.owner_id === null) return;
  if ((await jobCaller(deps, schedule.owner_id)) === undefined) {
    // Schedules of users who may no longer sign in are deactivated.
    await deactivateSchedulesOf(deps, deps.db, schedule.owner_id);
    return;
  }
  await runSchedule(deps, schedule, schedule.owner_id, `schedule:${scheduleId}:${due}`);
}

/**
 * Creates the pipeline of a schedule with its variables and inputs.
 * @param userId in whose name: the owner, or the user who plays it
 * @param origin idempotency key of the run
 */
export async function runSchedule(
  deps: Deps,
  schedule: CiPipelineSchedule,
  userId: number,
  origin?: string,
): Promise<Creation> {
  const { id, project_id: projectId, description, ref, inputs } = schedule;
  return createPipeline(deps, {
    ...{ projectId, userId, ref },
    source: 'schedule',
    schedule: { id, description },
    variables: await variablesOf(deps, id),
    inputs: Object.fromEntries(
      parseJson<{ name: string; value: unknown }[]>(inputs).map(({ name, value }) => [name, value]),
    ),
    ...(origin === undefined ? {} : { origin }),
  });
}

async function variablesOf(deps: Deps, scheduleId: number): Promise<PipelineVariableInput[]> {
  const rows = await deps.db
    .selectFrom('ci_pipeline_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('key')
    .execute();
  return rows
    .map((row) => openedVariable(deps, 'ci_pipeline_schedule_variables', row))
    .map(({ key, value, variable_type, raw }) => ({ key, value, variable_type, raw }));
}
