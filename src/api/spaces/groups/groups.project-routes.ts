import { Type } from 'typebox';
import { lineageIds } from '../../../access/access.membership.ts';
import { findProject } from '../../../access/lookup.ts';
import { notFound } from '../../../core/core.errors.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { optional } from '../../../http/http.schema.ts';
import { byAdministrator, inGroup } from '../../api.access.ts';
import { type ProjectFilters, ProjectListInput } from '../projects/projects.filters.ts';
import { type ListBase, projectList } from '../projects/projects.list.ts';
import { presentProjects } from '../projects/projects.page-views.ts';
import { Project } from '../projects/projects.responses.ts';
import { transferProject } from '../projects/projects.transfer.ts';
import { presentGroupDetail } from './groups.detail-views.ts';
import { GroupDetail } from './groups.responses.ts';

const Projects = Type.Array(Project);

interface Shape {
  simple?: boolean;
  statistics?: boolean;
  with_custom_attributes?: boolean;
}

async function answerProjects(c: BaseContext, input: ProjectFilters & Shape, base: ListBase) {
  return c.page(await projectList(c.deps, c.caller, input, base), (rows) =>
    presentProjects(c.deps, c.caller, rows, {
      simple: input.simple ?? false,
      statistics: input.statistics ?? false,
      customAttributes: input.with_custom_attributes ?? false,
    }),
  );
}

export const groupProjectRoutes = [
  route({
    method: 'GET',
    path: '/groups/:id/projects',
    summary: 'List the projects of a group',
    access: inGroup('read_group', { anonymous: true }),
    input: Type.Object({
      ...ProjectListInput.properties,
      ...optional({
        with_shared: Type.Boolean({ default: true, description: 'Include projects shared with the group.' }),
        include_subgroups: Type.Boolean({ default: false }),
        include_ancestor_groups: Type.Boolean({ default: false }),
        with_security_reports: Type.Boolean(),
      }).properties,
    }),
    success: { status: 200, schema: Projects },
    handler: (c) => {
      const { with_shared, include_subgroups, include_ancestor_groups, ...filters } = c.input;
      return answerProjects(c, filters, {
        withMarked: c.group.in_deletion === 1,
        namespaceIds: include_ancestor_groups ? lineageIds(c.group.lineage) : [c.group.id],
        ...(include_subgroups ? { below: c.group.lineage } : {}),
        ...(with_shared ? { sharedWithGroupId: c.group.id } : {}),
      });
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/projects/shared',
    summary: 'List the projects shared with a group',
    access: inGroup('read_group', { anonymous: true }),
    input: ProjectListInput,
    success: { status: 200, schema: Projects },
    handler: (c) => answerProjects(c, c.input, { sharedWithGroupId: c.group.id }),
  }),
  route({
    method: 'POST',
    path: '/groups/:id/projects/:project_id',
    operationId: 'transferProjectToGroup',
    summary: 'Transfer a project to a group',
    access: byAdministrator(inGroup('read_group'), 'admin_projects'),
    params: Type.Object({ project_id: Type.String({ description: 'Id or URL-encoded full path of the project.' }) }),
    success: { status: 201, schema: GroupDetail },
    errors: [400, 403, 404],
    handler: async ({ deps, caller, group, params }) => {
      const unlockedGroup = await findProject(deps, params.project_id);
      if (unlockedGroup === undefined) throw notFound('Project');
      await transferProject(deps, caller, unlockedGroup.project, group);
      return presentGroupDetail(deps, caller, group);
    },
  }),
];
