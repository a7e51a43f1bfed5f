import { type Static, Type } from 'typebox';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { ApiError, forbidden } from '../../../core/core.errors.ts';
import { EXPORT_STATUS, type RelationExport } from '../../../db/tables/relation-exports.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, Filled, optional } from '../../../http/http.schema.ts';
import { blobSuccess, sendBlob } from '../../../http/send-blob.ts';
import { type Destination, findArchive, startArchive } from '../../../import-export/exports/export.archives.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { inProjectByUser } from '../../api.access.ts';
import { fullNames } from '../../spaces/index.ts';
import { archiveName } from '../archive-name.ts';
import { recordExport } from '../audit-exports.ts';
import { requireExternalAddress } from '../external-address.ts';
import { ProjectExport } from './project-exports.responses.ts';

const access = inProjectByUser('export_project');
const path = '/projects/:id/export';
const tag = 'Project exports';

const startInput = optional({
  description: Type.String({
    maxLength: 2_000,
    description: 'Accepted, but ignored: the archive contains the description of the project.',
  }),
  upload: Type.Object(
    {
      url: Filled({ maxLength: 4_096, description: 'URL to send the archive to when it is complete.' }),
      http_method: Type.Optional(Enum(['PUT', 'POST'], { default: 'PUT', description: 'HTTP method of the upload.' })),
    },
    { description: 'Where to send the archive, instead of keeping it for download.' },
  ),
});

/** Returns the upload destination. @throws ApiError 400 for a URL that the server must not connect to */
async function destinationOf(deps: Deps, upload: Static<typeof startInput>['upload']): Promise<Destination | null> {
  if (upload === undefined) return null;
  await requireExternalAddress(deps, upload.url, 'upload[url]');
  return { url: upload.url, method: upload.http_method ?? 'PUT' };
}

function statusOf(row: RelationExport | undefined): Static<typeof ProjectExport>['export_status'] {
  if (row === undefined) return 'none';
  const has = row.sha256 !== null;
  if (row.status !== EXPORT_STATUS.started) return has ? 'finished' : 'none';
  if (has) return 'regeneration_in_progress';
  return row.batches_count === 0 ? 'queued' : 'started';
}

async function requireExports(deps: Deps): Promise<void> {
  if (!(await applicationSettings(deps)).project_export_enabled) throw forbidden();
}

/** Exports of projects as archives. */
export const projectExportRoutes = [
  route({
    method: 'POST',
    path,
    tag,
    operationId: 'startProjectExport',
    summary: 'Start the export of a project',
    description: 'Runs in the background; the archive is available for a day.',
    access,
    input: startInput,
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [400, 403, 429],
    handler: async ({ deps, caller, project, input }) => {
      await requireExports(deps);
      deps.limiter.check('project_export', `user:${caller.user.id}`, perMinute(deps.settings.now.project_export_limit));
      const upload = await destinationOf(deps, input.upload);
      await deps.db.transaction().execute(async (db) => {
        await revalidateProjectAbility(deps, db, caller, project.id, 'export_project');
        await startArchive(deps, db, { kind: 'project', id: project.id }, { userId: caller.user.id, upload });
        await recordExport(deps, db, caller, 'export_created', { kind: 'project', id: project.id });
      });
      return { message: '202 Accepted' };
    },
  }),
  route({
    method: 'GET',
    path,
    tag,
    operationId: 'getProjectExport',
    summary: 'Get the status of the export of a project',
    access,
    success: { status: 200, schema: ProjectExport },
    handler: async ({ deps, project, namespace }) => {
      const row = await findArchive(deps.db, { kind: 'project', id: project.id });
      const names = await fullNames(deps.db, [namespace]);
      const file = `${deps.externalUrl()}/api/v4/projects/${project.id}/export/download`;
      return {
        id: project.id,
        description: project.description,
        name: project.name,
        name_with_namespace: `${names.get(namespace.id) ?? namespace.name} / ${project.name}`,
        path: project.path,
        path_with_namespace: project.full_path,
        created_at: project.created_at,
        export_status: statusOf(row),
        ...(row?.sha256 ? { _links: { api_url: file, web_url: file } } : {}),
      };
    },
  }),
  route({
    ...blobSuccess('application/gzip', 'The archive.'),
    method: 'GET',
    path: `${path}/download`,
    tag,
    operationId: 'downloadProjectExport',
    summary: 'Download the export of a project',
    access,
    errors: [403, 404, 416, 429],
    handler: async (c) => {
      const { deps, caller, project } = c;
      await requireExports(deps);
      const row = await findArchive(deps.db, { kind: 'project', id: project.id });
      if (row === undefined || row.sha256 === null || row.size === null) {
        throw new ApiError(404, '404 Not found or has expired');
      }
      const limit = perMinute(deps.settings.now.project_download_export_limit);
      deps.limiter.check('project_download_export', `user:${caller.user.id}:${project.id}`, limit);
      if ((await deps.blobs.stat(row.sha256)) === null)
        throw new ApiError(404, 'The project export file is not available yet');
      const exported = { kind: 'project', id: project.id } as const;
      await deps.db
        .transaction()
        .execute((db) => recordExport(deps, db, caller, 'export_file_download_started', exported));
      return sendBlob(c, { sha256: row.sha256, size: row.size }, archiveName(project, row), 'application/gzip');
    },
  }),
];
