import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { Instant, pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { UserBasic, userBasic } from '../../identity/index.ts';
import { presentProject } from './projects.page-views.ts';
import { Project } from './projects.responses.ts';
import { setStar, starrersOf } from './stars.ts';
import { userOf } from './user-of.ts';

const starring = (action: 'star' | 'unstar') =>
  route({
    method: 'POST',
    path: `/projects/:id/${action}`,
    summary: action === 'star' ? 'Star a project' : 'Unstar a project',
    description: `304 if the project is ${action === 'star' ? 'already starred' : 'not starred'}.`,
    access: inProject('star_project'),
    success: { status: 201, schema: Project },
    errors: [304],
    handler: async (c) => {
      const changed = await setStar(c.deps, c.project, userOf(c.caller).user.id, action === 'star');
      return changed === undefined ? c.reply.code(304).send() : presentProject(c.deps, c.caller, changed);
    },
  });

export const starRoutes = [
  starring('star'),
  starring('unstar'),
  route({
    method: 'GET',
    path: '/projects/:id/starrers',
    summary: 'List the users who starred a project',
    access: inProject('read_project', { anonymous: true }),
    input: Type.Object({ search: Type.Optional(Type.String({ maxLength: 1_000 })), ...pagination }),
    success: { status: 200, schema: Type.Array(Type.Object({ starred_since: Instant(), user: UserBasic })) },
    handler: (c) => {
      const query = starrersOf(c.deps, c.project.id, { all: c.caller.admin, ...c.input });
      return c.page(query, (rows) =>
        rows.map(({ starred_since, ...user }) => ({ starred_since, user: userBasic(c.deps, user) })),
      );
    },
  }),
];
