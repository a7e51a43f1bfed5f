import { Type } from 'typebox';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import { inProject } from '../../api.access.ts';
import type { ProjectObject } from '../../object-access.ts';
import { findPipeline } from './pipelines.find.ts';
import { PipelineId } from './pipelines.inputs.ts';

export const PIPELINES = '/projects/:id/pipelines';
export const PIPELINE_PATH = `${PIPELINES}/:pipeline_id`;
export const params = Type.Object(PipelineId);

/** Callers who may see pipelines, including anonymous callers of public projects. */
export const pipelineReader = inProject('read_pipeline', { anonymous: true });

/** A pipeline; the user who started it counts as its author. */
export const pipelineObject: ProjectObject<typeof PipelineId, { pipeline: Pipeline }> = {
  noun: 'pipeline',
  sees: 'read_pipeline',
  params: PipelineId,
  find: async (deps, { project }, { pipeline_id }) => ({
    pipeline: await findPipeline(deps.db, project.id, pipeline_id),
  }),
  target: (_deps, { pipeline }, caller) => ({
    is: (relation) => relation === 'author' && pipeline.user_id === caller.user.id,
  }),
};
