import type { Insertable } from 'kysely';
import type { JobSeed, PipelineSeed } from '../../src/ci/job-seed.ts';
import { EMPTY_OPTIONS, type JobOptions, type When } from '../../src/ci/pipeline-config.ts';
import { compositeState, type State } from '../../src/ci/states.ts';
import { timestamp } from '../../src/core/clock.ts';
import type { Db } from '../../src/db/db.schema.ts';
import { nextIid } from '../../src/db/iids.ts';
import type { CiJob, CiJobsTable } from '../../src/db/tables/ci-jobs.table.ts';
import type { Pipeline, PipelinesTable } from '../../src/db/tables/pipelines.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { processPipeline } from '../../src/pipelines/states/pipeline-states.process.ts';
import { tagKey } from '../../src/pipelines/states/transitions.ts';
import type { TestApp } from './app.ts';

/** What a job has when nothing is said of it. */
export const jobOptions = (options: Partial<JobOptions> = {}): JobOptions => ({
  ...EMPTY_OPTIONS,
  script: ['true'],
  ...options,
});

/** A job that a pipeline is going to have, as the configuration came to it. */
export const jobSeed = (seed: Partial<JobSeed> = {}): JobSeed => ({
  name: 'test',
  kind: 'build',
  stage: 'test',
  stageIndex: 2,
  when: 'on_success',
  startIn: null,
  allowFailure: false,
  tags: [],
  needs: null,
  variables: [],
  environment: null,
  resourceGroup: null,
  interruptible: null,
  coverage: null,
  options: jobOptions(),
  ...seed,
});

export const pipelineSeed = (jobs: readonly Partial<JobSeed>[]): PipelineSeed => ({
  name: null,
  autoCancel: { onNewCommit: null, onJobFailure: null },
  stages: ['.pre', 'build', 'test', 'deploy', '.post'],
  jobs: jobs.map(jobSeed),
});

export interface MadeJob {
  name: string;
  /** `test` where it is left out; stages stand in the order in which jobs first name them. */
  stage?: string;
  kind?: CiJob['kind'];
  /** `created` where it is left out. */
  status?: State;
  when?: When;
  allowFailure?: boolean;
  tags?: string[];
  /** Names; without them the job goes by its stage. */
  needs?: string[];
  options?: Partial<JobOptions>;
  columns?: Partial<Insertable<CiJobsTable>>;
}

export interface MadePipeline {
  pipeline: Pipeline;
  /** By name; of several of one name the last. */
  jobs: Record<string, CiJob>;
}

/**
 * Makes the rows of a pipeline with jobs as they are described, as if a push to `main` had made it. Its state is that of its
 * jobs.
 * @param options.process lets created jobs go on, as the server does after it has made a pipeline
 */
export async function makePipeline(
  app: TestApp,
  project: Project,
  options: { jobs?: readonly MadeJob[]; columns?: Partial<Insertable<PipelinesTable>>; process?: boolean } = {},
): Promise<MadePipeline> {
  const { jobs = [{ name: 'test' }], columns = {} } = options;
  return app.deps.db.transaction().execute(async (db) => {
    const now = timestamp(app.deps.clock);
    const states = jobs.map(({ status = 'created', allowFailure = false }) => ({ status, allowFailure }));
    const made = await db
      .insertInto('pipelines')
      .values({
        iid: await nextIid(db, { source_type: 'project', source_id: project.id, usage: 'pipelines' }),
        project_id: project.id,
        sha: 'a'.repeat(40),
        ref: 'main',
        source: 'push',
        status: jobs.length === 0 ? 'created' : compositeState(states),
        user_id: project.creator_id ?? 1,
        created_at: now,
        updated_at: now,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    for (const row of await insertJobs(db, made, jobs, now)) await insertBelongings(db, row);
    const processed = options.process ? await processPipeline(app.deps, db, made.id) : made;
    const rows = await db.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', made.id).orderBy('id').execute();
    return { pipeline: processed!, jobs: Object.fromEntries(rows.map((row) => [row.name, row])) };
  });
}

async function insertJobs(db: Db, pipeline: Pipeline, jobs: readonly MadeJob[], now: string) {
  const stages = [...new Set(jobs.map(({ stage = 'test' }) => stage))];
  const made: { row: CiJob; job: MadeJob }[] = [];
  for (const job of jobs) {
    const { name, stage = 'test', status = 'created', kind = 'build' } = job;
    const begun = status !== 'created' && status !== 'skipped' && status !== 'manual' && status !== 'scheduled';
    const over = status === 'success' || status === 'failed' || status === 'canceled';
    const row = await db
      .insertInto('ci_jobs')
      .values({
        ...{ name, stage, status, kind },
        project_id: pipeline.project_id,
        pipeline_id: pipeline.id,
        sha: pipeline.sha,
        ref: pipeline.ref,
        tag: pipeline.tag,
        protected: pipeline.protected,
        stage_index: stages.indexOf(stage) + 1,
        run_when: job.when ?? 'on_success',
        scheduling: job.needs === undefined ? 'stage' : 'dag',
        allow_failure: job.allowFailure ? 1 : 0,
        user_id: pipeline.user_id ?? 1,
        created_at: now,
        updated_at: now,
        queued_at: begun ? now : null,
        started_at: begun && status !== 'pending' && status !== 'waiting_for_resource' ? now : null,
        finished_at: over ? now : null,
        tag_list: JSON.stringify([...(job.tags ?? [])].sort()),
        ...job.columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    made.push({ row, job });
  }
  return made;
}

async function insertBelongings(db: Db, { row, job }: { row: CiJob; job: MadeJob }): Promise<void> {
  await db
    .insertInto('ci_job_configs')
    .values({ job_id: row.id, options: JSON.stringify(jobOptions(job.options)), variables: '[]', environment: null })
    .execute();
  for (const name of job.needs ?? []) await db.insertInto('ci_job_needs').values({ job_id: row.id, name }).execute();
  if (row.status !== 'pending' || row.kind !== 'build') return;
  await db
    .insertInto('ci_pending_jobs')
    .values({
      job_id: row.id,
      project_id: row.project_id,
      tag_key: tagKey(row.tag_list),
      protected: row.protected,
      created_at: row.created_at,
    })
    .execute();
}
