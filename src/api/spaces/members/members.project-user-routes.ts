import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { route } from '../../../http/http.route.ts';
import { List, optional, pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { UserBasic, userBasic, usersById } from '../../identity/index.ts';
import { projectSource } from '../spaces.source.ts';
import { activeMembers } from './members.queries.ts';

/** Users with a direct or inherited membership of a project, without levels. */
export const projectUserRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/users',
    summary: 'List the users of a project',
    access: inProject('read_members', { anonymous: true }),
    input: Type.Object({
      ...optional({
        search: Type.String({ description: 'Part of the name or user name, or the complete public email address.' }),
        skip_users: List(Type.Integer(), { description: 'Ids of users to leave out.' }),
      }).properties,
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(UserBasic) },
    handler: (c) => {
      const { deps, input } = c;
      const filters = { query: input.search, skipUsers: input.skip_users };
      return c.page(activeMembers(deps, projectSource(c.project, c.namespace), filters), async (rows) => {
        const users = await usersById(deps.db, pluck(rows, 'user_id'));
        return rows.flatMap(({ user_id }) => {
          const user = users.get(user_id);
          return user === undefined ? [] : [userBasic(deps, user)];
        });
      });
    },
  }),
];
