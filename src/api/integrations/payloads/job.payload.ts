import { userWithAddress } from '../../../access/user-addresses.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Commit } from '../../../git/objects/index.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { commitAt } from './commits.payload.ts';
import { asOf, jobAssociationsOf, runnerPayload, sourcePipelineOf, timesOf } from './jobs.payload.ts';
import { isoSeconds, orNull } from './payloads.times.ts';
import { fullRepositoryPayload, type ProjectForPayload, projectOf, shortProject } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userOf, userPayloadOrNull } from './users.payload.ts';

const NOTHING = '0'.repeat(40);

/** Hook payload for a job with a new status. Undefined for jobs of blocked users. */
export async function jobHookEvent(
  deps: Deps,
  { payload, created_at }: RecordedEvent<'job.updated'>,
): Promise<BuiltPayload | undefined> {
  const job = await deps.db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('id', '=', payload.job_id)
    .where('kind', '=', 'build')
    .executeTakeFirst();
  return job && (await build(deps, asOf(job, payload.status), created_at));
}

async function build(deps: Deps, job: CiJob, at: string): Promise<BuiltPayload | undefined> {
  const { db } = deps;
  const pipeline = await db.selectFrom('pipelines').selectAll().where('id', '=', job.pipeline_id).executeTakeFirst();
  const project = await projectOf(deps, job.project_id);
  if (pipeline === undefined || project === undefined) return undefined;
  const { users, runners, environments } = await jobAssociationsOf(db, [job]);
  const user = users.get(job.user_id);
  if (user !== undefined && user.state !== 'active') return undefined;
  const { duration, queued_duration } = timesOf(job, at);
  return {
    projectId: project.row.id,
    payload: {
      object_kind: 'build',
      ref: job.ref,
      tag: job.tag === 1,
      before_sha: pipeline.before_sha ?? NOTHING,
      sha: job.sha,
      retries_count: await retriesOf(db, job),
      build_id: job.id,
      build_name: job.name,
      build_stage: job.stage,
      build_status: job.status,
      build_created_at: job.created_at,
      build_created_at_iso: isoSeconds(job.created_at),
      build_started_at: job.started_at,
      build_started_at_iso: orNull(isoSeconds, job.started_at),
      build_finished_at: job.finished_at,
      build_finished_at_iso: orNull(isoSeconds, job.finished_at),
      build_duration: duration,
      build_queued_duration: queued_duration,
      build_allow_failure: job.allow_failure === 1,
      build_failure_reason: job.failure_reason ?? 'unknown_failure',
      pipeline_id: pipeline.id,
      runner: runnerPayload(runners.get(job.runner_id ?? 0)),
      project_id: project.row.id,
      project_name: `${project.namespace.name} / ${project.row.name}`,
      user: userPayloadOrNull(deps, user),
      commit: await pipelineCommitPayload(deps, project, pipeline),
      repository: fullRepositoryPayload(deps, project),
      project: shortProject(deps, project),
      environment: environments.get(job.id) ?? null,
      ...(await sourcePipelineOf(deps, pipeline)),
    },
  };
}

/** Number of previous attempts of the job. */
async function retriesOf(db: Db, { id, pipeline_id, name }: CiJob): Promise<number> {
  const { count } = await db
    .selectFrom('ci_jobs')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .where('id', '<', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The `commit` of job payloads: the pipeline, by its id, with some fields of the commit. */
async function pipelineCommitPayload(deps: Deps, project: ProjectForPayload, pipeline: Pipeline) {
  const commit = await commitAt(repositoryOf(deps, project.row), pipeline.sha);
  return {
    id: pipeline.id,
    name: pipeline.name,
    sha: pipeline.sha,
    message: commit?.message ?? null,
    author_name: commit?.author.name ?? null,
    author_email: commit?.author.email ?? null,
    author_url: commit === null ? null : await authorUrl(deps, commit),
    status: pipeline.status,
    duration: pipeline.duration,
    started_at: pipeline.started_at,
    started_at_iso: orNull(isoSeconds, pipeline.started_at),
    finished_at: pipeline.finished_at,
    finished_at_iso: orNull(isoSeconds, pipeline.finished_at),
  };
}

/** URL of the user with the email address of the author, else a mailto link. */
async function authorUrl(deps: Deps, { author: { email } }: Commit): Promise<string> {
  const id = await userWithAddress(deps.db, email);
  const user = id === undefined ? undefined : await userOf(deps.db, id);
  return user === undefined ? `mailto:${email}` : `${deps.externalUrl()}/${user.username}`;
}

/** Returns the payload of the last job as if just changed, for tests of hooks; undefined if there is none. */
export async function sampleJob(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const job = await deps.db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', 'build')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return job && (await build(deps, job, timestamp(deps.clock)));
}
