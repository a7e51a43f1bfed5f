import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { Filled, pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { PublicGroup } from '../groups/groups.responses.ts';
import { presentPublicGroups } from '../groups/groups.views.ts';
import { presentProject } from './projects.page-views.ts';
import { Project } from './projects.responses.ts';
import { transferLocations, transferProject, transferTarget } from './projects.transfer.ts';

export const transferRoutes = [
  route({
    method: 'PUT',
    path: '/projects/:id/transfer',
    summary: 'Transfer a project to another namespace',
    access: inProject('transfer_project'),
    input: Type.Object({ namespace: Filled({ description: 'Id or path of the namespace.' }) }),
    success: { status: 200, schema: Project },
    handler: async (c) => {
      const target = await transferTarget(c.deps, c.input.namespace);
      return presentProject(c.deps, c.caller, await transferProject(c.deps, c.caller, c.project, target));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/transfer_locations',
    summary: 'List the groups that a project can be transferred to',
    access: inProject('transfer_project'),
    input: Type.Object({ search: Type.Optional(Type.String({ maxLength: 1_000 })), ...pagination }),
    success: { status: 200, schema: Type.Array(PublicGroup) },
    handler: (c) =>
      c.page(transferLocations(c.deps, c.caller, c.project, c.input.search), (rows) =>
        presentPublicGroups(c.deps, rows),
      ),
  }),
];
