import { Type } from 'typebox';
import { group as onGroup, recordAudit } from '../../../audit/record.ts';
import { timestamp } from '../../../core/clock.ts';
import { forbidden, invalidParameter, refused } from '../../../core/errors.ts';
import { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { route } from '../../../http/route.ts';
import { Filled, Upload } from '../../../http/schema.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { onServer } from '../../access.ts';
import { createGroupByInput } from '../../spaces/index.ts';
import { withArchive } from '../uploaded-archive.ts';
import { GROUP_FILE_IMPORT } from './jobs.ts';

const MIB = 1024 * 1024;

/** Groups made of archives (registry facts 7.3). */
export const groupImportRoutes = [
  route({
    method: 'POST',
    path: '/groups/import',
    tag: 'Group imports',
    operationId: 'importGroup',
    summary: 'Make a group of an archive',
    description:
      'The group is there at once, what is in the archive comes in the background. People become placeholders.',
    access: onServer('create_group'),
    input: Type.Object({
      file: Upload({ description: 'The archive.' }),
      name: Filled({ maxLength: 255, description: 'Name of the new group.' }),
      path: Filled({ maxLength: 255, description: 'Last part of its path.' }),
      parent_id: Type.Optional(Type.Integer({ description: 'Group that it becomes a subgroup of.' })),
      organization_id: Type.Optional(Type.Integer()),
    }),
    bodyLimit: 'file',
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [400, 403, 404, 413, 429],
    handler: async ({ deps, caller, input }) => {
      const settings = await applicationSettings(deps);
      if (!settings.import_sources.includes('gitlab_project')) throw forbidden();
      deps.limiter.check('group_import', `user:${caller.user.id}`, perMinute(settings.group_import_limit));
      const { file, name, path, parent_id } = input;
      if (!(file instanceof UploadedFile)) throw invalidParameter('file is invalid');
      const most = settings.max_import_size;
      if (most > 0 && file.size > most * MIB) throw refused(`The archive has more than ${most} MiB.`, 413);
      const given = { name, path, visibility: 'private', ...(parent_id === undefined ? {} : { parent_id }) } as const;
      await withArchive(deps, file, (archive) =>
        createGroupByInput(deps, caller, given, async (db, group) => {
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
              entity_type: 'group',
              source_full_path: '',
              destination_name: name,
              destination_slug: path,
              destination_namespace: group.full_path.slice(0, -path.length - 1),
              namespace_id: group.id,
              project_id: null,
              migrate_projects: 0,
              migrate_memberships: 1,
              disk_path: deps.storages.newDiskPath(),
              ...times,
            })
            .returning('id')
            .executeTakeFirstOrThrow();
          await deps.jobs.enqueue(db, GROUP_FILE_IMPORT, { entity_id: entity.id, archive });
          await recordAudit(deps, db, {
            name: 'group_import_created',
            entity: onGroup(group.id),
            message: 'Group import by an archive started',
          });
        }),
      );
      return { message: '202 Accepted' };
    },
  }),
];
