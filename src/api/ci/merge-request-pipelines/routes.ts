import { Type } from 'typebox';
import { callerIn } from '../../../access/job-token-caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.ts';
import type { Project } from '../../../db/tables/projects.ts';
import { setPageHeaders } from '../../../http/pagination.ts';
import { type BaseContext, route } from '../../../http/route.ts';
import { pagination } from '../../../http/schema.ts';
import { inProject } from '../../access.ts';
import { PipelineBasic, presentPipelineBasic, projectUrl } from '../../code/index.ts';
import { findMergeRequest } from '../../planning/index.ts';
import { pipelinesOf } from './queries.ts';

const PATH = '/projects/:id/merge_requests/:merge_request_iid/pipelines';
const params = Type.Object({
  merge_request_iid: Type.Integer({ description: 'Number of the merge request in the project.' }),
});

/** The projects in which a merge request has pipelines that the caller may see, by id: its own, and that of its source. */
async function visibleProjects({ deps, caller }: BaseContext, row: MergeRequest): Promise<Map<number, Project>> {
  const visible = new Map<number, Project>();
  for (const id of new Set([row.project_id, row.source_project_id])) {
    const found = id === null ? undefined : await findProject(deps, String(id));
    if (found === undefined) continue;
    const { project, namespace } = found;
    const permissions = await projectPermissions(deps, await callerIn(deps, caller, project), project, namespace);
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
      'Those that were made for it first, then those of its source branch. They run in the source project or in that of the merge request; whoever may not see pipelines there sees none of them.',
    access: inProject('read_merge_request', { anonymous: true }),
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(PipelineBasic) },
    errors: [404],
    handler: async (c) => {
      const { db } = c.deps;
      const row = await findMergeRequest(db, c, c.params.merge_request_iid);
      const visible = await visibleProjects(c, row);
      const { rows, total } = await pipelinesOf(db, row, [...visible.keys()], c.page);
      setPageHeaders(c.deps.externalUrl(), c.request, c.reply, c.page, { total });
      return rows.map((pipeline) =>
        presentPipelineBasic(pipeline, projectUrl(c.deps, visible.get(pipeline.project_id)!)),
      );
    },
  }),
];
