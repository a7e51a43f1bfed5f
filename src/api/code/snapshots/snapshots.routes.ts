import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { snapshotRepository } from '../../../git/repository/index.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import { route } from '../../../http/http.route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { findWiki } from '../../../repositories/repository.wikis.ts';
import { byAdministrator, inProject } from '../../api.access.ts';

/** Memory for reading, in bytes: parts of files, and the refs. */
const MEMORY = 4 * 1024 * 1024;

export const snapshotRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/snapshot',
    summary: 'Download the bare repository of a project',
    description: 'All refs at one point in time and all objects, as a tar archive of a bare repository.',
    access: byAdministrator(inProject('read_project')),
    expensive: true,
    input: Type.Object({
      wiki: Type.Optional(
        Type.Boolean({ default: false, description: 'Download the repository of the wiki; 404 if there is none.' }),
      ),
    }),
    success: { status: 200, contentType: 'application/x-tar', description: 'The archive, streamed.' },
    errors: [404, 429],
    handler: async (c) => {
      const { deps, project, input, reply, signal } = c;
      const wiki = input.wiki ? await findWiki(deps.db, { type: 'project', id: project.id }) : undefined;
      if (input.wiki && wiki === undefined) throw notFound('Wiki Repository');
      const repo = repositoryOf(deps, wiki ?? project);
      const now = deps.clock.now().getTime();
      const stream = await c.stream(MEMORY, () => snapshotRepository(repo, { signal, now }));
      reply
        .type('application/x-tar')
        .header(
          'Content-Disposition',
          contentDisposition('attachment', `${project.path}${wiki === undefined ? '' : '.wiki'}.git.tar`),
        )
        .header('Cache-Control', 'no-store');
      return stream;
    },
  }),
];
