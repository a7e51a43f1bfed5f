import type { EnvironmentConfig } from '../../../ci/pipeline-config.ts';
import { COMPLETE, FINISHED, isOneOf, type State } from '../../../ci/states.ts';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { usersById } from '../../identity/index.ts';
import { webUrlOf } from './commits.payload.ts';

/** A row with a status and start and end times. */
interface Timed {
  status: State;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** States before the start. */
const WAITING = ['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'scheduled'];

/**
 * Returns a job or pipeline in an earlier state, without times of later states.
 * @param status the earlier status
 */
export function asOf<T extends Timed>(row: T, status: string): T {
  if (row.status === status) return row;
  const began = !WAITING.includes(status);
  const over = isOneOf(FINISHED, status as State);
  return {
    ...row,
    status,
    started_at: began ? row.started_at : null,
    finished_at: over ? row.finished_at : null,
    ...('duration' in row && !over ? { duration: null } : {}),
    ...('runner_id' in row && !began ? { runner_id: null } : {}),
    ...('failure_reason' in row && status !== 'failed' ? { failure_reason: null } : {}),
  };
}

/** Seconds between two instants; null if either is missing. */
export const secondsBetween = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000;

/** Seconds that a job has run so far, and seconds that it was queued. @param at time of the payload */
export const timesOf = (job: CiJob, at: string) => ({
  duration: job.started_at === null ? null : secondsBetween(job.started_at, job.finished_at ?? at),
  queued_duration: secondsBetween(
    job.queued_at,
    job.started_at ?? job.finished_at ?? (isOneOf(COMPLETE, job.status) ? null : at),
  ),
});

/** Rows of other tables needed for payloads of jobs. */
export interface JobAssociations {
  users: ReadonlyMap<number, User>;
  runners: ReadonlyMap<number, CiRunner>;
  environments: ReadonlyMap<number, EnvironmentPayload>;
}

interface EnvironmentPayload {
  name: string;
  action: string;
  deployment_tier: string | null;
}

/**
 * Loads rows of other tables for jobs of one project with a fixed number of queries. @param also ids of further users
 */
export async function jobAssociationsOf(
  db: Db,
  jobs: readonly CiJob[],
  also: readonly (number | null)[] = [],
): Promise<JobAssociations> {
  const users = await usersById(db, [...jobs.map(({ user_id }) => user_id), ...also]);
  return {
    users,
    runners: await rowsById(db, 'ci_runners', pluck(jobs, 'runner_id')),
    environments: await environmentsOf(db, jobs),
  };
}

async function environmentsOf(db: Db, jobs: readonly CiJob[]): Promise<Map<number, EnvironmentPayload>> {
  const deploying = jobs.filter(({ environment }) => environment !== null);
  const [first] = deploying;
  if (first === undefined) return new Map();
  const names = [...new Set(deploying.map(({ environment }) => environment!))];
  const tiers = await db
    .selectFrom('environments')
    .select(['name', 'tier'])
    .where('project_id', '=', first.project_id)
    .where('name', 'in', names)
    .execute();
  const ids = deploying.map(({ id }) => id);
  const configs = await db
    .selectFrom('ci_job_configs')
    .select(['job_id', 'environment'])
    .where('job_id', 'in', ids)
    .execute();
  const actions = new Map(
    configs.map(({ job_id, environment }) => [
      job_id,
      environment === null ? 'start' : parseJson<EnvironmentConfig>(environment).action,
    ]),
  );
  return new Map(
    deploying.map(({ id, environment }) => [
      id,
      {
        name: environment!,
        action: actions.get(id) ?? 'start',
        deployment_tier: tiers.find(({ name }) => name === environment)?.tier ?? null,
      },
    ]),
  );
}

/** Renders a runner for payloads. */
export const runnerPayload = (runner: CiRunner | undefined) =>
  runner === undefined
    ? null
    : {
        id: runner.id,
        description: runner.description,
        runner_type: runner.runner_type,
        active: runner.paused === 0,
        is_shared: runner.runner_type === 'instance_type',
        tags: parseJson<string[]>(runner.tag_list),
      };

/** Renders the pipeline and job that triggered a pipeline; nothing if there are none. */
export async function sourcePipelineOf(deps: Deps, pipeline: Pipeline) {
  const { upstream_pipeline_id: pipeline_id, upstream_job_id: job_id } = pipeline;
  if (pipeline_id === null) return {};
  const project = await deps.db
    .selectFrom('pipelines')
    .innerJoin('projects', 'projects.id', 'pipelines.project_id')
    .select(['projects.id', 'projects.full_path'])
    .where('pipelines.id', '=', pipeline_id)
    .executeTakeFirst();
  if (project === undefined) return {};
  const { id, full_path: path_with_namespace } = project;
  const shown = { id, web_url: webUrlOf(deps, path_with_namespace), path_with_namespace };
  return { source_pipeline: { project: shown, pipeline_id, job_id } };
}
