import { Type } from 'typebox';
import { badRequest, recordNotFound } from '../../../core/core.errors.ts';
import type { Pipeline as PipelineRow } from '../../../db/tables/pipelines.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { destroyPipeline } from '../../../pipelines/removal/pipeline-removal.destroy.ts';
import { cancelPipeline } from '../../../pipelines/states/cancel.ts';
import { retryPipeline } from '../../../pipelines/states/pipeline-states.retry.ts';
import type { ProjectScope } from '../../api.access.ts';
import { Pipeline, presentPipeline } from '../../code/index.ts';
import { onObject } from '../../object-access.ts';
import { mayCancel, mayRun } from '../ci.run-rights.ts';
import { PIPELINE_PATH, pipelineObject } from './pipelines.access.ts';
import { renamePipeline } from './pipelines.writes.ts';

const MAX_NAME = 255;

const runnable = onObject(pipelineObject, 'update_pipeline', {
  further: (deps, scope) => mayRun(deps, scope, scope.pipeline),
});

/** A pipeline as it is after a change. @throws ApiError 404 when it is gone */
function answerPipeline({ deps, project }: BaseContext & ProjectScope, pipeline: PipelineRow | undefined) {
  if (pipeline === undefined) throw recordNotFound();
  return presentPipeline(deps, pipeline, project);
}

/** @throws ApiError 400 for a name that no pipeline can have */
function checkName(name: string): string {
  const reason =
    name.length > MAX_NAME
      ? `Name is too long (maximum is ${MAX_NAME} characters)`
      : name === ''
        ? 'Name is too short (minimum is 1 character)'
        : null;
  if (reason !== null) throw badRequest(`Failed to update pipeline - ${reason}`);
  return name;
}

export const pipelineActionRoutes = [
  route({
    method: 'PUT',
    path: `${PIPELINE_PATH}/metadata`,
    operationId: 'updateProjectPipelineMetadata',
    summary: 'Name a pipeline',
    access: runnable,
    credentials: API_AND_JOB_TOKENS,
    input: Type.Object({ name: Type.String({ description: `Its name, up to ${MAX_NAME} characters.` }) }),
    success: { status: 200, schema: Pipeline },
    errors: [400],
    handler: async (c) =>
      answerPipeline(c, await renamePipeline(c.deps, c.pipeline.id, checkName(c.input.name.trim()))),
  }),
  route({
    method: 'POST',
    path: `${PIPELINE_PATH}/retry`,
    summary: 'Run what failed or was canceled of a pipeline once more',
    access: runnable,
    success: { status: 201, schema: Pipeline },
    handler: async (c) => answerPipeline(c, await retryPipeline(c.deps, c.pipeline.id, { userId: c.caller.user.id })),
  }),
  route({
    method: 'POST',
    path: `${PIPELINE_PATH}/cancel`,
    summary: 'Cancel whatever of a pipeline is not over',
    description: 'Child pipelines are canceled with it.',
    access: onObject(pipelineObject, 'update_pipeline', {
      further: (deps, scope) => mayCancel(deps, scope, scope.pipeline),
    }),
    success: { status: 200, schema: Pipeline },
    handler: async (c) => answerPipeline(c, await cancelPipeline(c.deps, c.pipeline.id, { userId: c.caller.user.id })),
  }),
  route({
    method: 'DELETE',
    path: PIPELINE_PATH,
    summary: 'Delete a pipeline',
    description: 'With its child pipelines, and with the jobs, logs and artifacts of all of them.',
    access: onObject(pipelineObject, 'destroy_pipeline'),
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, caller, pipeline, request }) => {
      checkUnmodifiedSince(request, pipeline.updated_at);
      if (!(await destroyPipeline(deps, pipeline.id, caller.user.id))) throw recordNotFound();
    },
  }),
];
