import { type Static, Type } from 'typebox';
import { visibleProjects } from '../../../access/access.visible-projects.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { limitsJobTokens } from '../../../access/job-token-caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { visibleGroups } from '../../../access/visible-groups.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
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
const target_project_id = Type.Integer({ description: 'Project whose jobs get access.' });
const target_group_id = Type.Integer({ description: 'Group of the projects whose jobs get access.' });

const JobTokenScope = Type.Object({
  inbound_enabled: Type.Boolean({
    description: 'Whether job tokens of other projects have access only if their project is on the allowlist.',
  }),
  outbound_enabled: Type.Boolean({
    description:
      'Whether job tokens of this project reach only named projects. Always false: the allowlist of the other project decides.',
  }),
});

/** Returns a project that the caller may see. @throws ApiError 404 */
async function visibleProject(deps: Deps, caller: UserCaller, id: number): Promise<Project> {
  const target = await findProject(deps, String(id));
  if (target === undefined) throw notFound('target_project_id not found');
  const { project, namespace } = target;
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!permissions.can('read_project')) throw notFound('target_project_id not found');
  return project;
}

/** The job token allowlist: whose jobs may access a project with the rights of their users. */
export const jobTokenScopeRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'Get the job token access settings of a project',
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
    summary: 'Limit the access of job tokens to the allowlist, or open it to all projects',
    description:
      'Has no effect while administrators enforce the allowlist (`enforce_ci_inbound_job_token_scope_enabled`). The value is stored and applies once they stop enforcing it.',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({
      enabled: Type.Boolean({
        description: 'Whether job tokens of other projects have access only if their project is on the allowlist.',
      }),
    }),
    success: { status: 204, empty: true },
    errors: [400],
    handler: ({ deps, caller, project, input }) => limitToList(deps, caller, project.id, input.enabled),
  }),
  route({
    method: 'GET',
    path: `${PATH}/allowlist`,
    summary: 'List the projects on the job token allowlist',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({ ...pagination }),
    success: { status: 200, schema: Type.Array(SimpleProject) },
    errors: [400],
    handler: (c) => {
      const listed = listedProjects(c.deps.db, c.project.id).where(visibleProjects(c.deps, c.caller));
      return c.page(
        listed,
        async (rows) =>
          (await presentProjects(c.deps, c.caller, rows, { simple: true })) as Static<typeof SimpleProject>[],
      );
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/allowlist`,
    summary: 'Add a project to the job token allowlist',
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
    summary: 'Remove a project from the job token allowlist',
    access: inProjectByUser('admin_job_token_scope'),
    params: Type.Object({ target_project_id }),
    success: { status: 204, empty: true },
    errors: [400, 404],
    handler: ({ deps, caller, project, params }) => removeLink(deps, caller, project.id, params),
  }),
  route({
    method: 'GET',
    path: `${PATH}/groups_allowlist`,
    summary: 'List the groups on the job token allowlist',
    access: inProjectByUser('admin_job_token_scope'),
    input: Type.Object({ ...pagination }),
    success: { status: 200, schema: Type.Array(PublicGroup) },
    errors: [400],
    handler: async (c) => {
      const listed = listedGroups(c.deps.db, c.project.id).where(await visibleGroups(c.deps, c.caller));
      return c.page(listed, (rows) => presentPublicGroups(c.deps, rows));
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/groups_allowlist`,
    summary: 'Add a group to the job token allowlist',
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
    summary: 'Remove a group from the job token allowlist',
    access: inProjectByUser('admin_job_token_scope'),
    params: Type.Object({ target_group_id }),
    success: { status: 204, empty: true },
    errors: [400, 404],
    handler: ({ deps, caller, project, params }) => removeLink(deps, caller, project.id, params),
  }),
];
