import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { snapshotRepository } from '../../../git/snapshot.ts';
import { contentDisposition } from '../../../http/headers.ts';
import { route } from '../../../http/route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { byAdministrator, inProject } from '../../access.ts';

export const snapshotRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/snapshot',
    summary: 'Download the bare repository of a project',
    description: 'Its refs at one instant and every object, as a tar that git can use once it is unpacked.',
    access: byAdministrator(inProject('read_project')),
    expensive: true,
    input: Type.Object({
      wiki: Type.Optional(Type.Boolean({ default: false, description: 'That of the wiki instead; 404 without one.' })),
    }),
    success: { status: 200, contentType: 'application/x-tar', description: 'The archive, streamed.' },
    errors: [404, 429],
    handler: async ({ deps, project, input, reply, signal }) => {
      if (input.wiki) throw notFound('Wiki Repository');
      const repo = repositoryOf(deps, project);
      const stream = await snapshotRepository(repo, { signal, now: deps.clock.now().getTime() });
      reply
        .type('application/x-tar')
        .header('Content-Disposition', contentDisposition('attachment', `${project.path}.git.tar`))
        .header('Cache-Control', 'no-store');
      return stream;
    },
  }),
];
