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

/** Renders a pipeline after a change. @throws ApiError 404 if it was deleted */
function answerPipeline({ deps, project }: BaseContext & ProjectScope, pipeline: PipelineRow | undefined) {
  if (pipeline === undefined) throw recordNotFound();
  return presentPipeline(deps, pipeline, project);
}

/** @throws ApiError 400 for an invalid name */
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
    summary: 'Update the name of a pipeline',
    access: runnable,
    credentials: API_AND_JOB_TOKENS,
    input: Type.Object({ name: Type.String({ description: `New name; at most ${MAX_NAME} characters.` }) }),
    success: { status: 200, schema: Pipeline },
    errors: [400],
    handler: async (c) =>
      answerPipeline(c, await renamePipeline(c.deps, c.pipeline.id, checkName(c.input.name.trim()))),
  }),
  route({
    method: 'POST',
    path: `${PIPELINE_PATH}/retry`,
    summary: 'Retry the failed and canceled jobs of a pipeline',
    access: runnable,
    success: { status: 201, schema: Pipeline },
    handler: async (c) => answerPipeline(c, await retryPipeline(c.deps, c.pipeline.id, { userId: c.caller.user.id })),
  }),
  route({
    method: 'POST',
    path: `${PIPELINE_PATH}/cancel`,
    summary: 'Cancel the unfinished jobs of a pipeline',
    description: 'Child pipelines are canceled as well.',
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
    description: 'Deletes its child pipelines, jobs, logs and artifacts as well.',
    access: onObject(pipelineObject, 'destroy_pipeline'),
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, caller, pipeline, request }) => {
      checkUnmodifiedSince(request, pipeline.updated_at);
      if (!(await destroyPipeline(deps, pipeline.id, caller.user.id))) throw recordNotFound();
    },
  }),
];
