import { Type } from 'typebox';
import { languagesOf } from '../../../git/trees/index.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, Instant } from '../../../http/http.schema.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { MAINTAIN } from '../../../repositories/repository.maintenance.ts';
import { administrator, inProject } from '../../api.access.ts';
import { languagePercentages } from './statistics.ts';

const StoragePlace = Type.Object({
  project_id: Type.Integer(),
  disk_path: Type.String(),
  created_at: Instant(),
  repository_storage: Type.String(),
});

/** Access for administrators. */
const administrated = {
  ...inProject('read_project'),
  description: administrator.description,
  check: async (request: Parameters<typeof administrator.check>[0]) => {
    await administrator.check(request);
    return inProject('read_project').check(request);
  },
};

export const storageRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/storage',
    summary: 'Get the storage location of a repository',
    access: administrated,
    success: { status: 200, schema: StoragePlace },
    handler: ({ project }) => ({
      project_id: project.id,
      disk_path: project.disk_path,
      created_at: project.created_at,
      repository_storage: project.repository_storage,
    }),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/housekeeping',
    operationId: 'startProjectHousekeeping',
    summary: 'Start housekeeping of a repository',
    access: inProject('run_housekeeping'),
    input: Type.Object({ task: Type.Optional(Enum(['prune', 'eager'])) }),
    success: { status: 201, empty: true },
    handler: async ({ deps, project }) => {
      await deps.jobs.enqueue(deps.db, MAINTAIN.project, { project_id: project.id }, { uniqueKey: project.id });
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/languages',
    summary: 'List the programming languages of a project',
    description: 'Percentage of bytes on the default branch, by language.',
    access: inProject('read_code', { anonymous: true }),
    success: { status: 200, schema: Type.Record(Type.String(), Type.Number()) },
    handler: async (c) => {
      const repo = repositoryOf(c.deps, c.project);
      const tip = await repo.refs.tip();
      return tip === null ? {} : languagePercentages(await languagesOf(repo, tip));
    },
  }),
];
