import { Type } from 'typebox';
import { unauthorized } from '../../../core/core.errors.ts';
import { readIdCursor } from '../../../http/http.cursor.ts';
import { route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS, JOB_TOKEN_METHODS } from '../../../http/job-tokens.ts';
import { signedIn } from '../../api.access.ts';
import { JOB_PATH, JOBS, jobReader } from './jobs.access.ts';
import { findJob } from './jobs.find.ts';
import { JobId, ListJobs } from './jobs.inputs.ts';
import { projectJobs } from './jobs.list.ts';
import { Job } from './jobs.responses.ts';
import { presentJobs } from './jobs.views.ts';

export const jobRoutes = [
  route({
    method: 'GET',
    path: '/job',
    summary: 'Get the job of a job token',
    access: signedIn,
    credentials: { methods: JOB_TOKEN_METHODS },
    success: { status: 200, schema: Job },
    handler: async ({ deps, caller }) => {
      const { credential } = caller;
      if (credential.kind !== 'job_token') throw unauthorized();
      const [job] = await presentJobs(deps, [await findJob(deps.db, credential.projectId, credential.jobId, 'build')]);
      return job;
    },
  }),
  route({
    method: 'GET',
    path: JOBS,
    limit: { setting: 'project_jobs_api_rate_limit', periodSeconds: 60 },
    summary: 'List the jobs of a project',
    description: 'Newest first. Jobs are not counted: the response has no total headers.',
    access: jobReader,
    credentials: API_AND_JOB_TOKENS,
    input: ListJobs,
    success: { status: 200, schema: Type.Array(Job) },
    errors: [400],
    handler: (c) => {
      const { deps, project, input } = c;
      const keyset = input.pagination === 'keyset';
      const filters = {
        scope: input.scope,
        ref: input.ref || undefined,
        before: keyset ? readIdCursor(input.cursor) : undefined,
      };
      return c.page(projectJobs(deps.db, project.id, filters, keyset), (rows) => presentJobs(deps, rows, project));
    },
  }),
  route({
    method: 'GET',
    path: JOB_PATH,
    summary: 'Get a job',
    access: jobReader,
    params: Type.Object(JobId),
    success: { status: 200, schema: Job },
    errors: [404],
    handler: async ({ deps, project, params }) => {
      const [job] = await presentJobs(deps, [await findJob(deps.db, project.id, params.job_id, 'build')], project);
      return job;
    },
  }),
];
