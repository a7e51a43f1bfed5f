import { Type } from 'typebox';
import { group as onGroup, recordAudit } from '../../../audit/record.audit.ts';
import { route } from '../../../http/http.route.ts';
import { Filled, Upload } from '../../../http/http.schema.ts';
import { onServer } from '../../api.access.ts';
import { createGroupByInput } from '../../spaces/index.ts';
import { insertFileImport } from '../file-import.ts';
import { authorizeArchiveImport, withArchive } from '../uploaded-archive.ts';
import { GROUP_FILE_IMPORT } from './group-imports.jobs.ts';

/** Imports of groups from archives (registry facts 7.3). */
export const groupImportRoutes = [
  route({
    method: 'POST',
    path: '/groups/import',
    tag: 'Group imports',
    operationId: 'importGroup',
    summary: 'Import a group from an archive',
    description:
      'The group is created immediately; its contents are imported in the background. Users are imported as placeholders.',
    access: onServer('create_group'),
    input: Type.Object({
      file: Upload({ description: 'The archive.' }),
      name: Filled({ maxLength: 255, description: 'Name of the new group.' }),
      path: Filled({ maxLength: 255, description: 'Path segment of the new group.' }),
      parent_id: Type.Optional(Type.Integer({ description: 'Id of the parent group.' })),
      organization_id: Type.Optional(Type.Integer()),
    }),
    bodyLimit: 'file',
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [400, 403, 404, 413, 429],
    handler: async ({ deps, caller, input }) => {
      await authorizeArchiveImport(deps, caller, 'group_import');
      const { file, name, path, parent_id } = input;
      const object = { name, path, visibility: 'private', ...(parent_id === undefined ? {} : { parent_id }) } as const;
      await withArchive(deps, file, (archive) =>
        createGroupByInput(deps, caller, object, async (db, group) => {
          const entity_id = await insertFileImport(deps, db, caller.user.id, {
            entity_type: 'group',
            destination_name: name,
            destination_slug: path,
            destination_namespace: group.full_path.slice(0, -path.length - 1),
            namespace_id: group.id,
            migrate_memberships: 1,
          });
          await deps.jobs.enqueue(db, GROUP_FILE_IMPORT, { entity_id, archive });
          await recordAudit(deps, db, {
            name: 'group_import_created',
            entity: onGroup(group.id),
            message: 'Group import from an archive started',
          });
        }),
      );
      return { message: '202 Accepted' };
    },
  }),
];
