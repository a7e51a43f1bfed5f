import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { inProject } from '../../api.access.ts';
import { ForkInput, forkProject } from './fork.ts';
import { linkFork, unlinkFork } from './fork-relation.ts';
import { presentProject } from './projects.page-views.ts';
import { Project } from './projects.responses.ts';
import { userOf } from './user-of.ts';

export const forkRoutes = [
  route({
    method: 'POST',
    path: '/projects/:id/fork',
    summary: 'Fork a project',
    description: 'The repository is copied in the background; see `import_status`.',
    access: inProject('fork_project'),
    input: ForkInput,
    success: { status: 201, schema: Project },
    errors: [409],
    handler: async (c) => {
      const fork = await forkProject(c.deps, userOf(c.caller), c.project, c.input);
      return presentProject(c.deps, c.caller, fork);
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/fork/:forked_from_id',
    summary: 'Create a fork relationship',
    access: inProject('link_fork'),
    params: Type.Object({ forked_from_id: Type.String({ description: 'Id or full path of the source project.' }) }),
    success: { status: 201, schema: Project },
    errors: [409],
    handler: async (c) => {
      const linked = await linkFork(c.deps, c.caller, c.project, c.params.forked_from_id);
      return presentProject(c.deps, c.caller, linked);
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/fork',
    summary: 'Delete the fork relationship of a project',
    access: inProject('link_fork'),
    success: { status: 204, empty: true },
    errors: [304],
    handler: async (c) => {
      if (!(await unlinkFork(c.deps, c.project, c.caller.user?.id ?? null))) c.reply.code(304);
    },
  }),
];
