import type { Response } from 'light-my-request';
import { randomText, tokenDigest } from '../../src/core/core.secrets.ts';
import type { CiJob } from '../../src/db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../src/db/tables/pipelines.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import type { TestApp } from './app.ts';
import { multipart } from './multipart.ts';
import { type MadeJob, type MadePipeline, makePipeline } from './pipelines.ts';

/** A job in the hands of a runner, with its token. */
export interface HeldJob {
  pipeline: Pipeline;
  job: CiJob;
  token: string;
}

/** Makes a pipeline of one job, which a runner has. @param options.into a pipeline that the job stands in instead */
export async function holdJob(
  app: TestApp,
  project: Project,
  options: Partial<MadeJob> & {
    into?: Pipeline;
    pipeline?: NonNullable<Parameters<typeof makePipeline>[2]>['columns'];
  } = {},
): Promise<HeldJob> {
  const token = `glcbt-${randomText(20)}`;
  const { pipeline: columns = {}, into, ...job } = options;
  const made: MadePipeline = await makePipeline(app, project, {
    jobs: [
      {
        name: 'build',
        status: 'running',
        ...job,
        columns: { token_digest: tokenDigest(token), timeout: 3_600, ...job.columns },
      },
    ],
    columns,
  });
  const row = made.jobs[job.name ?? 'build']!;
  if (into === undefined) return { pipeline: made.pipeline, job: row, token };
  await app.deps.db.updateTable('ci_jobs').set({ pipeline_id: into.id }).where('id', '=', row.id).execute();
  return { pipeline: into, job: { ...row, pipeline_id: into.id }, token };
}

/** Uploads a file as a runner does. @param query `artifact_type` and the like */
export function uploadArtifact(
  app: TestApp,
  { job, token }: Pick<HeldJob, 'job' | 'token'>,
  bytes: Buffer,
  query: Record<string, string> = {},
  { name = 'artifacts.zip', fields = {} }: { name?: string; fields?: Record<string, string> } = {},
): Promise<Response> {
  const { body, headers } = multipart(fields, { field: 'file', name, bytes });
  return app.post(`/jobs/${job.id}/artifacts`, {
    token: null,
    query,
    body,
    headers: { ...headers, ...(token === '' ? {} : { 'job-token': token }) },
  });
}

/** Ends a job and its pipeline as they would have ended, without what the server does then. */
export async function endJob(
  app: TestApp,
  { job, pipeline }: HeldJob,
  status: 'success' | 'failed' | 'manual' = 'success',
  pipelineStatus: 'success' | 'failed' = status === 'failed' ? 'failed' : 'success',
): Promise<void> {
  const { db } = app.deps;
  await db.updateTable('ci_jobs').set({ status }).where('id', '=', job.id).execute();
  await db.updateTable('pipelines').set({ status: pipelineStatus }).where('id', '=', pipeline.id).execute();
}
