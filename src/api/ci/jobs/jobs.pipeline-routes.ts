import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { PIPELINE_PATH, params, pipelineReader } from '../pipelines/pipelines.access.ts';
import { findPipeline } from '../pipelines/pipelines.find.ts';
import { ListBridges, ListPipelineJobs } from './jobs.inputs.ts';
import { pipelineJobs } from './jobs.list.ts';
import { Bridge, Job } from './jobs.responses.ts';
import { presentBridges, presentJobs } from './jobs.views.ts';

export const pipelineJobRoutes = [
  route({
    method: 'GET',
    path: `${PIPELINE_PATH}/jobs`,
    summary: 'List the jobs of a pipeline',
    description: 'Newest first. Bridges have a list of their own.',
    access: pipelineReader,
    credentials: API_AND_JOB_TOKENS,
    params,
    input: ListPipelineJobs,
    success: { status: 200, schema: Type.Array(Job) },
    errors: [400, 404],
    handler: async (c) => {
      const { deps, project, input } = c;
      const { id } = await findPipeline(deps.db, project.id, c.params.pipeline_id);
      const filters = { kind: 'build', scope: input.scope, retried: input.include_retried === true } as const;
      return c.page(pipelineJobs(deps.db, id, filters), (rows) => presentJobs(deps, rows, project));
    },
  }),
  route({
    method: 'GET',
    path: `${PIPELINE_PATH}/bridges`,
    summary: 'List the bridges of a pipeline',
    description:
      'Newest first. Downstream pipelines are shown only where the caller may see the pipelines of their project.',
    access: pipelineReader,
    credentials: API_AND_JOB_TOKENS,
    params,
    input: ListBridges,
    success: { status: 200, schema: Type.Array(Bridge) },
    errors: [400, 404],
    handler: async (c) => {
      const { deps, project } = c;
      const { id } = await findPipeline(deps.db, project.id, c.params.pipeline_id);
      const filters = { kind: 'bridge', scope: c.input.scope, retried: true } as const;
      return c.page(pipelineJobs(deps.db, id, filters), (rows) => presentBridges(deps, c.caller, rows, project));
    },
  }),
];
