import type { Insertable } from 'kysely';
import type { JobSeed, PipelineSeed } from '../../ci/job-seed.ts';
import { timestamp } from '../../core/clock.ts';
import { bit } from '../../db/columns.ts';
import { isUniqueViolation } from '../../db/db.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import { nextIid } from '../../db/iids.ts';
import type { CiJobsTable } from '../../db/tables/ci-jobs.table.ts';
import type { CiPipelineVariable } from '../../db/tables/ci-pipeline-variables.table.ts';
import type { Pipeline, PipelinesTable } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { insertDeployments } from '../environments/pipeline-environments.deployments.ts';
import { CANCEL_REDUNDANT, KEEP_PIPELINE_REF } from '../job-kinds.ts';
import { processLocked } from '../states/pipeline-states.process.ts';
import { sealedValue } from '../variables/at-rest.ts';
import { ensureEnvironments, ensureResourceGroups } from './environments-of-jobs.ts';
import { checkActiveJobs } from './job-limits.ts';

/** A variable passed at the creation of a pipeline. */
export type PipelineVariableInput = Pick<CiPipelineVariable, 'key' | 'variable_type'> & { value: string; raw?: 0 | 1 };

/** A pipeline to insert, without its jobs. */
export interface NewPipeline {
  project: Project;
  userId: number;
  columns: Omit<
    Insertable<PipelinesTable>,
    'iid' | 'project_id' | 'user_id' | 'status' | 'created_at' | 'updated_at' | 'name' | 'started_at' | 'finished_at'
  >;
  variables: readonly PipelineVariableInput[];
}

type State = Pick<Insertable<PipelinesTable>, 'status' | 'yaml_errors' | 'failure_reason' | 'name'>;

/** Number of rows in one statement: the limit of bound values in SQLite, divided by the columns. */
const JOBS_AT_ONCE = 800;
const NARROW_AT_ONCE = 4000;

/**
 * Inserts a pipeline with its jobs and starts the jobs that can run, in one transaction with a constant number of
 * statements.
 * @returns the pipeline, or the existing one for the same event (`origin`)
 * @throws TooManyJobs
 */
export function savePipeline(deps: Deps, made: NewPipeline, seed: PipelineSeed): Promise<Pipeline> {
  const { autoCancel, name, jobs } = seed;
  return once(deps, made, async (db) => {
    const pipeline = await insertPipeline(deps, db, made, { status: 'created', name }, autoCancel);
    await checkActiveJobs(deps, db, pipeline.project_id, jobs.length);
    await insertJobs(deps, db, made, pipeline, jobs);
    const { id, project_id } = pipeline;
    const payload = { pipeline_id: id };
    await deps.jobs.enqueueAll(db, [
      { kind: CANCEL_REDUNDANT, payload, projectId: project_id },
      { kind: KEEP_PIPELINE_REF, payload, projectId: project_id },
    ]);
    return processLocked(deps, db, pipeline);
  });
}

/** Inserts a pipeline without jobs: a skipped one, or one with an invalid configuration. */
export const saveEmptyPipeline = (deps: Deps, made: NewPipeline, state: State): Promise<Pipeline> =>
  once(deps, made, (db) => insertPipeline(deps, db, made, state));

/** Creates a pipeline in a transaction, unless one exists for the same event. */
async function once(deps: Deps, made: NewPipeline, make: (db: Db) => Promise<Pipeline>): Promise<Pipeline> {
  try {
    return await deps.db.transaction().execute(async (db) => (await madeBefore(db, made)) ?? (await make(db)));
  } catch (error) {
    // A concurrent transaction has created it.
    const known = isUniqueViolation(error) ? await madeBefore(deps.db, made) : undefined;
    if (known === undefined) throw error;
    return known;
  }
}

async function madeBefore(db: Db, { project, columns: { origin } }: NewPipeline): Promise<Pipeline | undefined> {
  if (origin === undefined || origin === null) return undefined;
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('origin', '=', origin)
    .executeTakeFirst();
}

async function insertPipeline(
  deps: Deps,
  db: Db,
  { project, userId, columns, variables }: NewPipeline,
  state: State,
  { onNewCommit, onJobFailure }: Partial<PipelineSeed['autoCancel']> = {},
): Promise<Pipeline> {
  const now = timestamp(deps.clock);
  const pipeline = await db
    .insertInto('pipelines')
    .values({
      ...columns,
      ...state,
      iid: await nextIid(db, { source_type: 'project', source_id: project.id, usage: 'pipelines' }),
      project_id: project.id,
      user_id: userId,
      created_at: now,
      updated_at: now,
      finished_at: state.status === 'failed' ? now : null,
      on_new_commit: onNewCommit ?? null,
      on_job_failure: onJobFailure ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const rows = variables.map(({ key, value, variable_type, raw = 0 }) => ({
    ...{ pipeline_id: pipeline.id, key, variable_type, raw },
    value: sealedValue(deps, 'ci_pipeline_variables', value),
  }));
  for (const some of batches(rows, NARROW_AT_ONCE)) await db.insertInto('ci_pipeline_variables').values(some).execute();
  const { id: pipeline_id, source, status } = pipeline;
  const payload = { pipeline_id, project_id: project.id, source, status, old_status: null };
  await deps.events.record(db, 'pipeline.updated', payload, { projectId: project.id, actorId: userId });
  return pipeline;
}

async function insertJobs(
  deps: Deps,
  db: Db,
  { project, userId }: NewPipeline,
  pipeline: Pipeline,
  seeds: readonly JobSeed[],
): Promise<void> {
  const environments = await ensureEnvironments(deps, db, project, seeds, pipeline.merge_request_id);
  const groups = await ensureResourceGroups(deps, db, project, seeds);
  const rows = seeds.map((seed) => jobRow(pipeline, userId, seed, environments, groups));
  const ids: number[] = [];
  for (const some of batches(rows, JOBS_AT_ONCE)) {
    const made = await db.insertInto('ci_jobs').values(some).returning('id').execute();
    ids.push(...made.map(({ id }) => id).sort((a, b) => a - b));
  }
  const configs = seeds.map(({ options, variables, environment }, index) => ({
    job_id: ids[index]!,
    options: JSON.stringify(options),
    variables: JSON.stringify(variables),
    environment: environment === null ? null : JSON.stringify(environment),
  }));
  for (const some of batches(configs, NARROW_AT_ONCE)) await db.insertInto('ci_job_configs').values(some).execute();
  const needs = seeds.flatMap(({ needs }, index) =>
    (needs ?? []).map(({ job, artifacts, optional }) => ({
      job_id: ids[index]!,
      name: job,
      artifacts: bit(artifacts),
      optional: bit(optional),
    })),
  );
  for (const some of batches(needs, NARROW_AT_ONCE)) {
    await db
      .insertInto('ci_job_needs')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const deployments = seeds.flatMap(({ environment }, index) => {
    const environment_id = environment?.action === 'start' ? environments.get(environment.name) : undefined;
    if (environment_id === undefined) return [];
    return [{ job: { ...rows[index]!, id: ids[index]! }, environment_id, on_stop: environment!.onStop }];
  });
  await insertDeployments(deps, db, deployments);
  const payloads = ids.map((id, index) => ({
    job_id: id,
    pipeline_id: pipeline.id,
    project_id: project.id,
    status: rows[index]!.status,
    old_status: null,
  }));
  await deps.events.recordAll(db, 'job.updated', payloads, { projectId: project.id, actorId: userId });
}

type JobRow = Insertable<CiJobsTable> & { tag: 0 | 1 };

function jobRow(
  { id, project_id, sha, ref, tag, protected: isProtected, created_at }: Pipeline,
  user_id: number,
  seed: JobSeed,
  environments: ReadonlyMap<string, number>,
  groups: ReadonlyMap<string, number>,
): JobRow {
  const environment = seed.environment?.name ?? null;
  // An invalid environment does not prevent the pipeline: its job reports it.
  const impossible = environment !== null && !environments.has(environment);
  return {
    ...{ project_id, sha, ref, tag, user_id, created_at },
    pipeline_id: id,
    updated_at: created_at,
    protected: isProtected,
    kind: seed.kind,
    name: seed.name,
    stage: seed.stage,
    stage_index: seed.stageIndex,
    status: impossible ? 'failed' : 'created',
    failure_reason: impossible ? 'environment_creation_failure' : null,
    finished_at: impossible ? created_at : null,
    run_when: seed.when,
    scheduling: seed.needs === null ? 'stage' : 'dag',
    start_in: seed.startIn,
    allow_failure: bit(seed.allowFailure),
    tag_list: JSON.stringify([...seed.tags].sort()),
    interruptible: seed.interruptible === null ? null : bit(seed.interruptible),
    coverage_regex: seed.coverage,
    environment: impossible ? null : environment,
    resource_group_id: seed.resourceGroup === null ? null : (groups.get(seed.resourceGroup.slice(0, 255)) ?? null),
  };
}

function* batches<T>(rows: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}
