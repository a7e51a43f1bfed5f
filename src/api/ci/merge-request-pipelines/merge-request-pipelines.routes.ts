import { Type } from 'typebox';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { ApiError, invalidModel, recordNotFound } from '../../../core/core.errors.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { Pipeline, PipelineBasic, presentPipeline, presentPipelineBasic, projectUrl } from '../../code/index.ts';
import { findMergeRequest } from '../../planning/index.ts';
import { pipelineStarter } from './merge-request-pipelines.access.ts';
import { CREATE_LATER } from './merge-request-pipelines.background.ts';
import { createMergeRequestPipeline } from './merge-request-pipelines.create.ts';
import { MergeRequestIid, StartPipeline } from './merge-request-pipelines.inputs.ts';
import { pipelinesOf } from './merge-request-pipelines.queries.ts';

const notAllowed = () => new ApiError(405, '405 Method Not Allowed');
const refusedFor = (texts: readonly string[]) => invalidModel({ base: [...texts] });

const PATH = '/projects/:id/merge_requests/:merge_request_iid/pipelines';
const params = Type.Object(MergeRequestIid);

/**
 * Returns the projects with pipelines of a merge request that the caller may see, by id: its own and the source
 * project.
 */
async function visibleProjects({ deps, caller }: BaseContext, row: MergeRequest): Promise<Map<number, Project>> {
  const visible = new Map<number, Project>();
  for (const id of new Set([row.project_id, row.source_project_id])) {
    const source = id === null ? undefined : await findProject(deps, String(id));
    if (source === undefined) continue;
    const { project, namespace } = source;
    const permissions = await projectPermissions(deps, caller, project, namespace);
    if (permissions.can('read_pipeline')) visible.set(project.id, project);
  }
  return visible;
}

export const mergeRequestPipelineRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the pipelines of the commits of a merge request',
    description:
      'Merge request pipelines first, then those of the source branch. They run in the source project or in the project of the merge request; empty if the caller may not see pipelines there.',
    access: inProject('read_merge_request', { anonymous: true }),
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(PipelineBasic) },
    errors: [404],
    handler: async (c) => {
      const { db } = c.deps;
      const row = await findMergeRequest(db, c, c.params.merge_request_iid);
      const visible = await visibleProjects(c, row);
      return c.page(
        (page) => pipelinesOf(db, row, [...visible.keys()], page),
        (rows) =>
          rows.map((pipeline) => presentPipelineBasic(pipeline, projectUrl(c.deps, visible.get(pipeline.project_id)!))),
      );
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Start a pipeline for a merge request',
    description:
      'Runs for the head of the merge request, or for the merged result if the project enables that. 405 if no job of the configuration applies to merge requests.',
    access: pipelineStarter,
    input: StartPipeline,
    success: { status: 200, schema: Pipeline },
    otherSuccess: { status: 202, empty: true, description: 'The pipeline is created in the background.' },
    errors: [400, 405],
    expensive: true,
    handler: async (c) => {
      const { deps, caller, mergeRequest, input } = c;
      const request = { mergeRequestId: mergeRequest.id, userId: caller.user.id };
      if (input.async === true) {
        if (mergeRequest.state !== 'opened') throw notAllowed();
        const { mergeRequestId: merge_request_id, userId: user_id } = request;
        await deps.jobs.enqueue(deps.db, CREATE_LATER, { merge_request_id, user_id }, { projectId: c.project.id });
        c.reply.code(202);
        return undefined;
      }
      const { pipeline, texts, filtered } = await createMergeRequestPipeline(deps, request);
      if (pipeline === null) throw filtered || mergeRequest.state !== 'opened' ? notAllowed() : refusedFor(texts);
      const target = await findProject(deps, String(pipeline.project_id));
      if (target === undefined) throw recordNotFound();
      return presentPipeline(deps, pipeline, target.project);
    },
  }),
];
