import { type Static, Type } from 'typebox';
import { visibleProjects } from '../../../access/access.visible-projects.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { limitsJobTokens } from '../../../access/job-token-caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { visibleGroups } from '../../../access/visible-groups.ts';
import { notFound } from '../../../core/core.errors.ts';
import { pageOf } from '../../../db/paginate.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { setPageHeaders } from '../../../http/pagination.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import {
  PublicGroup,
  presentProjects,
  presentPublicGroups,
  SimpleProject,
  settingsOf,
  visibleGroup,
} from '../../spaces/index.ts';
import { listedGroups, listedProjects } from './job-token-scope.queries.ts';
import { addLink, limitToList, removeLink } from './job-token-scope.writes.ts';

const PATH = '/projects/:id/job_token_scope';
const target_project_id = Type.Integer({ description: 'Project whose jobs come in.' });
const target_group_id = Type.Integer({ description: 'Group whose projects’ jobs come in.' });

const JobTokenScope = Type.Object({
  inbound_enabled: Type.Boolean({
    description: 'Whether jobs of other projects come in only if the project lists them.',
  }),
  outbound_enabled: Type.Boolean({
    description:
      'Whether jobs of this project reach only projects that it names: always false, for the list of the other project decides.',
  }),
});

/** The project of an id, if the caller may see it. @throws ApiError 404 */
async function visibleProject(deps: Deps, caller: UserCaller, id: number): Promise<Project> {
  const found = await findProject(deps, String(id));
  if (found === undefined) throw notFound('target_project_id not found');
  const { project, namespace } = found;
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!permissions.can('read_project')) throw notFound('target_project_id not found');
  return project;
}

/** Which projects' jobs may use the API of a project with the rights of their users. */
export const jobTokenScopeRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'Tell how far job tokens reach',
    access: inProject('admin_job_token_scope'),
    success: { status: 200, schema: JobTokenScope },
    handler: async ({ deps, project }) => ({
      inbound_enabled: limitsJobTokens(deps, project),
      outbound_enabled: settingsOf(project).ci_job_token_scope_enabled,
    }),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    summary: 'Let in the jobs of all projects, or of those on the list',
    description:
      'Without effect while administrators enforce the allowlist (`enforce_ci_inbound_job_token_scope_enabled`): what is said meanwhile counts once they do not.',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({
      enabled: Type.Boolean({ description: 'Whether jobs of other projects come in only if the project lists them.' }),
    }),
    success: { status: 204, empty: true },
    errors: [400],
    handler: ({ deps, caller, project, input }) => limitToList(deps, caller, project.id, input.enabled),
  }),
  route({
    method: 'GET',
    path: `${PATH}/allowlist`,
    summary: 'List the projects whose jobs are let in',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({ ...pagination }),
    success: { status: 200, schema: Type.Array(SimpleProject) },
    errors: [400],
    handler: async ({ deps, caller, project, page, request, reply }) => {
      const listed = listedProjects(deps.db, project.id).where(visibleProjects(deps, caller));
      const { rows, total } = await pageOf(deps.db, listed, page);
      setPageHeaders(deps.externalUrl(), request, reply, page, { total });
      return (await presentProjects(deps, caller, rows, { simple: true })) as Static<typeof SimpleProject>[];
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/allowlist`,
    summary: 'Let in the jobs of a project',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({ target_project_id }),
    success: {
      status: 201,
      schema: Type.Object({ source_project_id: Type.Integer(), target_project_id }),
    },
    errors: [400, 404],
    handler: async ({ deps, caller, project, input }) => {
      const { id } = await visibleProject(deps, caller, input.target_project_id);
      await addLink(deps, caller, project.id, { target_project_id: id });
      return { source_project_id: project.id, target_project_id: id };
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/allowlist/:target_project_id`,
    summary: 'Let in the jobs of a project no more',
    access: inProjectByUser('admin_job_token_scope'),
    params: Type.Object({ target_project_id }),
    success: { status: 204, empty: true },
    errors: [400, 404],
    handler: ({ deps, caller, project, params }) => removeLink(deps, caller, project.id, params),
  }),
  route({
    method: 'GET',
    path: `${PATH}/groups_allowlist`,
    summary: 'List the groups whose jobs are let in',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({ ...pagination }),
    success: { status: 200, schema: Type.Array(PublicGroup) },
    errors: [400],
    handler: async ({ deps, caller, project, page, request, reply }) => {
      const listed = listedGroups(deps.db, project.id).where(await visibleGroups(deps, caller));
      const { rows, total } = await pageOf(deps.db, listed, page);
      setPageHeaders(deps.externalUrl(), request, reply, page, { total });
      return presentPublicGroups(deps, rows);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/groups_allowlist`,
    summary: 'Let in the jobs of the projects of a group',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({ target_group_id }),
    success: {
      status: 201,
      schema: Type.Object({ source_project_id: Type.Integer(), target_group_id }),
    },
    errors: [400, 404],
    handler: async ({ deps, caller, project, input }) => {
      const { id } = await visibleGroup(deps, caller, input.target_group_id);
      await addLink(deps, caller, project.id, { target_group_id: id });
      return { source_project_id: project.id, target_group_id: id };
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/groups_allowlist/:target_group_id`,
    summary: 'Let in the jobs of the projects of a group no more',
    access: inProjectByUser('admin_job_token_scope'),
    params: Type.Object({ target_group_id }),
    success: { status: 204, empty: true },
    errors: [400, 404],
    handler: ({ deps, caller, project, params }) => removeLink(deps, caller, project.id, params),
  }),
];
