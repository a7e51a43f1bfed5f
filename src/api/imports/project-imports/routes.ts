import { createReadStream } from 'node:fs';
import { type Static, Type } from 'typebox';
import { timestamp } from '../../../core/clock.ts';
import { forbidden, invalidParameter, refused } from '../../../core/errors.ts';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { route } from '../../../http/route.ts';
import { Filled, Upload } from '../../../http/schema.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { inProject, onServer } from '../../access.ts';
import { findPlacement, makeProject } from '../../spaces/index.ts';
import { ProjectImport } from './answers.ts';
import { FILE_IMPORT } from './jobs.ts';

const MIB = 1024 * 1024;
const tag = 'Project imports';
const MAX_FAILURES = 100;

const importInput = Type.Object({
  file: Upload({ description: 'The archive.' }),
  path: Filled({ maxLength: 255, description: 'Last part of the path of the new project.' }),
  name: Type.Optional(Filled({ maxLength: 255, description: 'Its name; the path when absent.' })),
  namespace: Type.Optional(
    Filled({ description: 'Id or path of the namespace that it is put into; the own when absent.' }),
  ),
  namespace_id: Type.Optional(Type.Integer({ description: 'Id of the namespace that it is put into.' })),
  namespace_path: Type.Optional(Filled({ description: 'Path of the namespace that it is put into.' })),
});

/** What is shown of the import of a project. */
async function present(deps: Deps, project: Project): Promise<Static<typeof ProjectImport>> {
  const entity = await deps.db
    .selectFrom('bulk_import_entities')
    .innerJoin('bulk_imports', 'bulk_imports.id', 'bulk_import_id')
    .select(['bulk_import_entities.id', 'bulk_import_entities.status', 'source_url'])
    .where('project_id', '=', project.id)
    .orderBy('bulk_import_entities.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const failures =
    entity === undefined
      ? []
      : await deps.db
          .selectFrom('bulk_import_failures')
          .selectAll()
          .where('entity_id', '=', entity.id)
          .orderBy('id')
          .limit(MAX_FAILURES)
          .execute();
  const stored = project.import_status as Static<typeof ProjectImport>['import_status'];
  const going = { [IMPORT_STATUS.created]: 'scheduled', [IMPORT_STATUS.started]: 'started' } as const;
  const imported = entity?.source_url === '' ? 'gitlab_project' : 'gitlab_project_migration';
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: project.created_at,
    import_status: going[entity?.status as 0 | 1] ?? stored,
    import_type: entity === undefined ? (project.import_url === null ? null : 'git') : imported,
    correlation_id: null,
    failed_relations: failures.map((failure) => ({
      id: failure.id,
      created_at: failure.created_at,
      exception_class: failure.exception_class,
      exception_message: failure.exception_message,
      source: 'import',
      relation_name: failure.relation,
      line_number: null,
    })),
    import_error: project.import_error,
    stats: null,
  };
}

/** A project made of an archive (registry facts 7.3). */
export const projectImportRoutes = [
  route({
    method: 'POST',
    path: '/projects/import',
    tag,
    operationId: 'importProject',
    summary: 'Make a project of an archive',
    description: 'In the background. People whom it names become placeholders.',
    access: onServer('create_project'),
    input: importInput,
    bodyLimit: 'file',
    success: { status: 201, schema: ProjectImport },
    errors: [400, 403, 404, 413, 429],
    handler: async ({ deps, caller, input }) => {
      const settings = await applicationSettings(deps);
      if (!settings.import_sources.includes('gitlab_project')) throw forbidden();
      deps.limiter.check('project_import', `user:${caller.user.id}`, perMinute(deps.settings.now.project_import_limit));
      const { file, path, name = path } = input;
      if (!(file instanceof UploadedFile)) throw invalidParameter('file is invalid');
      const most = settings.max_import_size * MIB;
      if (most > 0 && file.size > most)
        throw refused(`The archive has more than ${settings.max_import_size} MiB.`, 413);
      const place = input.namespace_id ?? input.namespace_path ?? input.namespace;
      const namespace = place === undefined ? undefined : await findPlacement(deps, caller, String(place));
      const archive = await deps.blobs.put(createReadStream(file.path), { maxBytes: file.size });
      const given = { name, path, visibility: 'private', ...(namespace && { namespace_id: namespace.id }) } as const;
      const project = await makeProject(deps, caller, caller.user, given, {
        within: async (db, { id }) => {
          const now = timestamp(deps.clock);
          const times = { created_at: now, updated_at: now };
          const { id: bulk_import_id } = await db
            .insertInto('bulk_imports')
            .values({ user_id: caller.user.id, source_url: '', token: null, ...times })
            .returning('id')
            .executeTakeFirstOrThrow();
          const entity = await db
            .insertInto('bulk_import_entities')
            .values({
              bulk_import_id,
              parent_id: null,
              entity_type: 'project',
              source_full_path: '',
              destination_name: path,
              destination_slug: path,
              destination_namespace: namespace?.full_path ?? '',
              namespace_id: null,
              project_id: id,
              migrate_projects: 0,
              migrate_memberships: 0,
              disk_path: deps.storages.newDiskPath(),
              ...times,
            })
            .returning('id')
            .executeTakeFirstOrThrow();
          await deps.jobs.enqueue(db, FILE_IMPORT, { entity_id: entity.id, archive }, { projectId: id });
        },
      });
      return present(deps, project);
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/import',
    tag,
    operationId: 'getProjectImport',
    summary: 'Get how far the import of a project is',
    access: inProject('read_project'),
    success: { status: 200, schema: ProjectImport },
    handler: async ({ deps, project }) => present(deps, project),
  }),
];
