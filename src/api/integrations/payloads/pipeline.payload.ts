import { timestamp } from '../../../core/clock.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { openedVariable } from '../../../pipelines/variables/at-rest.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { detailedStatus } from '../../code/index.ts';
import { loadMergeRequestViews, mergeRequestUrl } from '../../planning/index.ts';
import { commitAt, commitPayload, webUrlOf } from './commits.payload.ts';
import {
  asOf,
  type JobAssociations,
  jobAssociationsOf,
  runnerPayload,
  secondsBetween,
  sourcePipelineOf,
  timesOf,
} from './jobs.payload.ts';
import { orNull, utcText } from './payloads.times.ts';
import { type ProjectForPayload, projectOf, shortProject } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userPayloadOrNull } from './users.payload.ts';

const NOTHING = '0'.repeat(40);

/**
 * Hook payload for a pipeline with a new status. Undefined for pipelines of blocked users.
 * @param retried whether to include retried jobs
 */
export async function pipelineHookEvent(
  deps: Deps,
  { payload, created_at }: RecordedEvent<'pipeline.updated'>,
  retried = false,
): Promise<BuiltPayload | undefined> {
  const pipeline = await deps.db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', '=', payload.pipeline_id)
    .executeTakeFirst();
  return pipeline && (await build(deps, asOf(pipeline, payload.status), created_at, retried));
}

async function build(deps: Deps, pipeline: Pipeline, at: string, retried = false): Promise<BuiltPayload | undefined> {
  const { db } = deps;
  const project = await projectOf(deps, pipeline.project_id);
  if (project === undefined) return undefined;
  const all = await db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipeline.id)
    .$if(!retried, (query) => query.where('retried', '=', 0))
    .orderBy('id')
    .execute();
  const jobs = all.filter((job) => job.retried === 0);
  const company = await jobAssociationsOf(db, all, [pipeline.user_id]);
  const user = company.users.get(pipeline.user_id ?? 0);
  if (user !== undefined && user.state !== 'active') return undefined;
  const mergeRequest = await mergeRequestFor(deps, pipeline, project);
  const commit = await commitAt(repositoryOf(deps, project.row), pipeline.sha);
  const archives = await archivesOf(deps, pipeline.id);
  return {
    projectId: project.row.id,
    payload: {
      object_kind: 'pipeline',
      object_attributes: await attributesOf(deps, pipeline, project, jobs, mergeRequest?.row),
      merge_request: mergeRequest?.shown ?? null,
      user: userPayloadOrNull(deps, user),
      project: shortProject(deps, project),
      commit: commit === null ? null : commitPayload(commit, webUrlOf(deps, project.row.full_path)),
      builds: all.filter(({ kind }) => kind === 'build').map((job) => buildPayload(deps, job, company, archives, at)),
      ...(await sourcePipelineOf(deps, pipeline)),
    },
  };
}

async function attributesOf(
  deps: Deps,
  pipeline: Pipeline,
  project: ProjectForPayload,
  jobs: readonly CiJob[],
  mergeRequest: MergeRequest | undefined,
) {
  const variables = await deps.db
    .selectFrom('ci_pipeline_variables')
    .select(['key', 'value'])
    .where('pipeline_id', '=', pipeline.id)
    .orderBy('key')
    .execute();
  const warned = jobs.some(
    ({ allow_failure, status }) => allow_failure === 1 && ['failed', 'canceled'].includes(status),
  );
  const stages = [...new Map(jobs.map(({ stage, stage_index }) => [stage, stage_index])).entries()];
  const url = `${webUrlOf(deps, project.row.full_path)}/-/pipelines/${pipeline.id}`;
  return {
    id: pipeline.id,
    iid: pipeline.iid,
    name: pipeline.name,
    ref: mergeRequest?.source_branch ?? pipeline.ref,
    tag: pipeline.tag === 1,
    sha: pipeline.sha,
    before_sha: pipeline.before_sha ?? NOTHING,
    source: pipeline.source,
    status: pipeline.status,
    detailed_status: detailedStatus(pipeline.status, warned, '').label,
    stages: stages.sort(([, a], [, b]) => a - b).map(([stage]) => stage),
    created_at: utcText(pipeline.created_at),
    finished_at: orNull(utcText, pipeline.finished_at),
    duration: pipeline.duration,
    queued_duration: secondsBetween(pipeline.created_at, pipeline.started_at),
    protected_ref: pipeline.protected === 1,
    variables: variables.map((row) => openedVariable(deps, 'ci_pipeline_variables', row)),
    url,
  };
}

/** Renders the merge request of a merge request pipeline. */
async function mergeRequestFor(deps: Deps, { merge_request_id: id }: Pipeline, project: ProjectForPayload) {
  if (id === null) return undefined;
  const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  const [view] = row === undefined ? [] : await loadMergeRequestViews(deps, [row]);
  if (row === undefined || view === undefined) return undefined;
  const shown = {
    id: row.id,
    iid: row.iid,
    title: row.title,
    source_branch: row.source_branch,
    source_project_id: row.source_project_id,
    target_branch: row.target_branch,
    target_project_id: row.project_id,
    state: row.state,
    merge_status: row.merge_status,
    detailed_merge_status: view.detailedStatus,
    url: mergeRequestUrl(deps, project.row.full_path, row.iid),
  };
  return { row, shown };
}

/** Loads the artifact archives of the jobs of a pipeline, by job id. */
async function archivesOf({ db }: Deps, pipelineId: number): Promise<Map<number, { filename: string; size: number }>> {
  const rows = await db
    .selectFrom('ci_job_artifacts')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_job_artifacts.job_id')
    .select(['ci_jobs.id', 'ci_job_artifacts.filename', 'ci_job_artifacts.size'])
    .where('ci_jobs.pipeline_id', '=', pipelineId)
    .where('ci_job_artifacts.file_type', '=', 'archive')
    .execute();
  return new Map(rows.map(({ id, filename, size }) => [id, { filename, size }]));
}

type Archives = Awaited<ReturnType<typeof archivesOf>>;

function buildPayload(
  deps: Deps,
  job: CiJob,
  { users, runners, environments }: JobAssociations,
  archives: Archives,
  at: string,
) {
  return {
    id: job.id,
    stage: job.stage,
    name: job.name,
    status: job.status,
    created_at: utcText(job.created_at),
    started_at: orNull(utcText, job.started_at),
    finished_at: orNull(utcText, job.finished_at),
    ...timesOf(job, at),
    failure_reason: job.failure_reason,
    when: job.run_when,
    manual: job.run_when === 'manual',
    allow_failure: job.allow_failure === 1,
    user: userPayloadOrNull(deps, users.get(job.user_id)),
    runner: runnerPayload(runners.get(job.runner_id ?? 0)),
    artifacts_file: archives.get(job.id) ?? { filename: null, size: null },
    environment: environments.get(job.id) ?? null,
  };
}

/** Returns the payload of the last pipeline as if just changed, for tests of hooks; undefined if there is none. */
export async function samplePipeline(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const pipeline = await deps.db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return pipeline && (await build(deps, pipeline, timestamp(deps.clock)));
}
