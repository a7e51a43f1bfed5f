import { type Static, Type } from 'typebox';
import { contains } from '../../../db/like.ts';
import type { FeatureFlagUserList as Row } from '../../../db/tables/feature-flag-user-lists.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { inProject } from '../../api.access.ts';
import { changedUserList, listUserLists, newUserList, UserListIid } from './feature-flag-user-lists.inputs.ts';
import { FeatureFlagUserList } from './feature-flag-user-lists.responses.ts';
import {
  createUserList,
  deleteUserList,
  findUserList,
  updateUserList,
  userListsOf,
} from './feature-flag-user-lists.writes.ts';

const PATH = '/projects/:id/feature_flags_user_lists';
const ONE = `${PATH}/:iid`;
const see = inProject('read_feature_flag');
const manage = inProject('admin_feature_flag');

function present(project: Project, row: Row): Static<typeof FeatureFlagUserList> {
  const path = `/${project.full_path}/-/feature_flags_user_lists/${row.iid}`;
  return { ...row, path, edit_path: `${path}/edit` };
}

/** User lists for strategies of feature flags (part 1, section 4.8). */
export const featureFlagUserListRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the user lists of a project',
    access: see,
    input: listUserLists,
    success: { status: 200, schema: Type.Array(FeatureFlagUserList) },
    handler: (c) => {
      const { search = '' } = c.input;
      let query = userListsOf(c.deps.db, c.project.id);
      if (search !== '') query = query.where((eb) => contains(eb.ref('name'), search));
      return c.page(query, (rows) => rows.map((row) => present(c.project, row)));
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a user list',
    access: see,
    params: UserListIid,
    success: { status: 200, schema: FeatureFlagUserList },
    handler: async ({ deps, project, params }) => present(project, await findUserList(deps.db, project.id, params.iid)),
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a user list',
    access: manage,
    input: newUserList,
    success: { status: 201, schema: FeatureFlagUserList },
    handler: async ({ deps, caller, project, input }) =>
      present(project, await createUserList(deps, caller, project.id, input)),
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a user list',
    access: manage,
    params: UserListIid,
    input: changedUserList,
    success: { status: 200, schema: FeatureFlagUserList },
    handler: async ({ deps, caller, project, params, input }) =>
      present(project, await updateUserList(deps, caller, project.id, params.iid, input)),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a user list',
    description: 'A list that is used by a strategy cannot be deleted.',
    access: manage,
    params: UserListIid,
    success: { status: 204, empty: true },
    errors: [409, 412],
    handler: ({ deps, caller, project, params, request }) =>
      deleteUserList(deps, caller, project.id, params.iid, (list) => checkUnmodifiedSince(request, list.updated_at)),
  }),
];
