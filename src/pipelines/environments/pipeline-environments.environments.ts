import { callerInProject } from '../../access/caller-in-project.ts';
import { jobCaller } from '../../access/job-caller.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Environment } from '../../db/tables/environments.table.ts';
import type { Deps } from '../../deps.ts';
import { HEADS } from '../../git/refs/index.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { UPDATE_ENVIRONMENT } from '../job-kinds.ts';
import { mayRunFor } from '../pipelines.run-rights.ts';
import { lastDeployment, stopActionOf, stopEnvironment } from './stop-environment.ts';
import { updateEnvironment } from './update-environment.ts';

const STOP_DUE = jobKind<Record<string, never>>('ci.stop-due-environments', { lane: 'ci' });
const EVERY_MS = 60_000;
const BATCH_SIZE = 100;
/** Maximum number of branches in one statement. */
const BRANCHES_AT_ONCE = 500;

/**
 * Registers the background work of environments: they follow deployment jobs, and stop with their time limit, branch or
 * merge request.
 */
export function registerEnvironments(deps: Deps): void {
  deps.jobs.register(UPDATE_ENVIRONMENT, ({ job_id }) => updateEnvironment(deps, job_id));
  deps.jobs.every(STOP_DUE, { everyMs: EVERY_MS }, (_payload, { signal }) => stopDue(deps, signal));
  deps.events.subscribe({
    name: 'ci.stop-environments-of-branch',
    types: ['push'],
    lane: 'ci',
    wants: ({ payload: { updates } }) => updates.some(({ ref, new: oid }) => oid === null && ref.startsWith(HEADS)),
    handle: async ({ actor_id, payload: { project_id, updates } }, { data }) => {
      // Earlier versions had a job for each branch.
      const gone =
        typeof data === 'string'
          ? [data]
          : updates.flatMap(({ ref, new: oid }) =>
              oid === null && ref.startsWith(HEADS) ? [ref.slice(HEADS.length)] : [],
            );
      for (let at = 0; at < gone.length; at += BRANCHES_AT_ONCE) {
        await stopThoseOfBranches(deps, project_id, gone.slice(at, at + BRANCHES_AT_ONCE), actor_id);
      }
    },
  });
  deps.events.subscribe({
    name: 'ci.stop-environments-of-merge-request',
    types: ['merge_request.closed', 'merge_request.merged'],
    lane: 'ci',
    handle: ({ actor_id, payload: { merge_request_id } }) => stopThoseOfMergeRequest(deps, merge_request_id, actor_id),
  });
}

async function stopDue(deps: Deps, signal: AbortSignal): Promise<void> {
  for (let full = true; full && !signal.aborted; ) {
    const due = await deps.db
      .selectFrom('environments')
      .selectAll()
      .where('auto_stop_at', '<=', timestamp(deps.clock))
      .orderBy('auto_stop_at')
      .orderBy('id')
      .limit(BATCH_SIZE)
      .execute();
    for (const environment of due) await stopByItself(deps, environment, null);
    full = due.length === BATCH_SIZE;
  }
}

/**
 * Stops an environment, unless it may only be stopped by its own job and there is none, or the user may not stop it: a
 * user who closes a merge request need not be a member, and the deployer may have left.
 * @param userId null: the user who deployed
 */
async function stopByItself(deps: Deps, environment: Environment, userId: number | null): Promise<void> {
  const { id, auto_stop_setting } = environment;
  const last = await lastDeployment(deps.db, id);
  const wantsJob = auto_stop_setting === 'with_action' && (last === undefined || last.on_stop === null);
  const action = await stopActionOf(deps.db, id);
  const actor = userId ?? action?.deployedBy;
  if (!wantsJob && (actor === undefined || (await mayStop(deps, environment, actor, action?.job)))) {
    await stopEnvironment(deps, id, { userId });
  } else if (userId === null) {
    await deps.db.updateTable('environments').set({ auto_stop_at: null }).where('id', '=', id).execute();
  }
}

async function mayStop(deps: Deps, { project_id }: Environment, userId: number, job?: CiJob): Promise<boolean> {
  const caller = await jobCaller(deps, userId);
  const scope = caller && (await callerInProject(deps, caller, project_id));
  if (scope?.permissions.can('stop_environment') !== true) return false;
  return job === undefined || (scope.permissions.can('update_pipeline') && mayRunFor(deps, scope, job));
}

async function stopThoseOfBranches(
  deps: Deps,
  projectId: number,
  refs: readonly string[],
  userId: number | null,
): Promise<void> {
  const deployed = await deps.db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', '=', 'available')
    .where('id', 'in', (of) =>
      of
        .selectFrom('deployments')
        .select('environment_id')
        .where('project_id', '=', projectId)
        .where('ref', 'in', refs),
    )
    .execute();
  for (const environment of deployed) {
    const last = await lastDeployment(deps.db, environment.id);
    if (last !== undefined && refs.includes(last.ref) && last.tag === 0) await stopByItself(deps, environment, userId);
  }
}

async function stopThoseOfMergeRequest(deps: Deps, mergeRequestId: number, userId: number | null): Promise<void> {
  for (const environment of await deployedBy(deps.db, mergeRequestId)) await stopByItself(deps, environment, userId);
}

/** Environments to which pipelines of a merge request have deployed. */
const deployedBy = (db: Db, mergeRequestId: number): Promise<Environment[]> =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('state', '=', 'available')
    .where('id', 'in', (of) =>
      of
        .selectFrom('pipelines')
        .innerJoin('ci_jobs', 'ci_jobs.pipeline_id', 'pipelines.id')
        .innerJoin('deployments', 'deployments.job_id', 'ci_jobs.id')
        .select('deployments.environment_id')
        .where('pipelines.merge_request_id', '=', mergeRequestId),
    )
    .execute();
