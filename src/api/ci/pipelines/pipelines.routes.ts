import { Type } from 'typebox';
import { forbidden } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { Pipeline, PipelineListEntry, presentPipeline, presentPipelineEntries } from '../../code/index.ts';
import { onObject } from '../../object-access.ts';
import { PIPELINE_PATH, PIPELINES, params, pipelineObject, pipelineReader } from './pipelines.access.ts';
import { findPipeline, latestPipeline } from './pipelines.find.ts';
import { ListPipelines } from './pipelines.inputs.ts';
import { pipelineList } from './pipelines.list.ts';
import { variablesOf } from './pipelines.queries.ts';
import { PipelineVariable } from './pipelines.responses.ts';

export const pipelineRoutes = [
  route({
    method: 'GET',
    path: PIPELINES,
    summary: 'List the pipelines of a project',
    description: 'Child pipelines are listed only if `source` requests them.',
    access: pipelineReader,
    credentials: API_AND_JOB_TOKENS,
    input: ListPipelines,
    success: { status: 200, schema: Type.Array(PipelineListEntry) },
    errors: [400],
    handler: async (c) => {
      const list = await pipelineList(c.deps, c.project, c.input);
      return c.page(list, (rows) => presentPipelineEntries(c.deps, c.project, rows));
    },
  }),
  route({
    method: 'GET',
    path: `${PIPELINES}/latest`,
    operationId: 'getLatestProjectPipeline',
    summary: 'Get the last pipeline of a branch or tag',
    description: 'The pipeline of its last commit. 403 if there is none.',
    access: pipelineReader,
    input: Type.Object({
      ref: Type.Optional(Type.String({ description: 'Branch or tag; the default branch when absent.' })),
    }),
    success: { status: 200, schema: Pipeline },
    errors: [403],
    handler: async ({ deps, project, input }) => {
      const pipeline = await latestPipeline(deps, project, input.ref || null);
      if (pipeline === undefined) throw forbidden();
      return presentPipeline(deps, pipeline, project);
    },
  }),
  route({
    method: 'GET',
    path: PIPELINE_PATH,
    summary: 'Get a pipeline',
    access: pipelineReader,
    credentials: API_AND_JOB_TOKENS,
    params,
    success: { status: 200, schema: Pipeline },
    errors: [404],
    handler: async ({ deps, project, params }) =>
      presentPipeline(deps, await findPipeline(deps.db, project.id, params.pipeline_id), project),
  }),
  route({
    method: 'GET',
    path: `${PIPELINE_PATH}/variables`,
    summary: 'List the variables of a pipeline',
    access: onObject(pipelineObject, 'read_pipeline_variables'),
    success: { status: 200, schema: Type.Array(PipelineVariable) },
    handler: async ({ deps, pipeline }) =>
      (await variablesOf(deps, pipeline.id)).map(({ raw, ...rest }) => ({ ...rest, raw: raw === 1 })),
  }),
];
