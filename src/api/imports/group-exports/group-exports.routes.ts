import { Type } from 'typebox';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { blobSuccess, sendBlob } from '../../../http/send-blob.ts';
import { findArchive, startArchive } from '../../../import-export/exports/export.archives.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { inGroup } from '../../api.access.ts';
import { archiveName } from '../archive-name.ts';
import { recordExport } from '../audit-exports.ts';

const path = '/groups/:id/export';
const shared = { tag: 'Group exports', access: inGroup('export_group') } as const;
const GONE = '404 Not found or has expired';
const LATER = 'The group export file is not available yet.';

/** Exports of a group with its subgroups, without projects (registry facts 7.2). */
export const groupExportRoutes = [
  route({
    ...shared,
    method: 'POST',
    path,
    operationId: 'startGroupExport',
    summary: 'Start the export of a group',
    description: 'Includes subgroups, but no projects. Runs in the background; the archive is available for a day.',
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [429],
    handler: async ({ deps, caller, group }) => {
      const { id } = group;
      deps.limiter.check('group_export', `user:${caller.user?.id}`, perMinute(deps.settings.now.group_export_limit));
      await deps.db.transaction().execute(async (db) => {
        await revalidateGroupAbility(deps, db, caller, id, 'export_group');
        await startArchive(deps, db, { kind: 'group', id }, { userId: caller.user?.id ?? null, upload: null });
        await recordExport(deps, db, caller, 'export_created', { kind: 'group', id });
      });
      return { message: '202 Accepted' };
    },
  }),
  route({
    ...shared,
    ...blobSuccess('application/gzip', 'The archive.'),
    method: 'GET',
    path: `${path}/download`,
    operationId: 'downloadGroupExport',
    summary: 'Download the export of a group',
    errors: [404, 416, 429],
    handler: async (c) => {
      const { deps, caller, group } = c;
      const exported = { kind: 'group', id: group.id } as const;
      const row = await findArchive(deps.db, exported);
      if (row === undefined) throw new ApiError(404, GONE);
      if (row.sha256 === null || row.size === null) throw new ApiError(404, LATER);
      const limit = perMinute(deps.settings.now.group_download_export_limit);
      deps.limiter.check('group_download_export', `user:${caller.user?.id}:${group.id}`, limit);
      if ((await deps.blobs.stat(row.sha256)) === null) throw new ApiError(404, LATER);
      await deps.db
        .transaction()
        .execute((db) => recordExport(deps, db, caller, 'export_file_download_started', exported));
      return sendBlob(c, { sha256: row.sha256, size: row.size }, archiveName(group, row), 'application/gzip');
    },
  }),
];
