import { route } from '../../../http/http.route.ts';
import { inProject, onServer } from '../../api.access.ts';
import { requireExternalAddress } from '../external-address.ts';
import { authorizeArchiveImport, withArchive } from '../uploaded-archive.ts';
import { fileInput, remoteInput, s3Input } from './project-imports.inputs.ts';
import { ProjectImport } from './project-imports.responses.ts';
import { startFileImport } from './project-imports.start.ts';
import { presentImported } from './project-imports.views.ts';
import { bucketHost, presignedAddress } from './s3-address.ts';

const tag = 'Project imports';

/** Imports of projects from archives (registry facts 7.3). */
export const projectImportRoutes = [
  route({
    method: 'POST',
    path: '/projects/import',
    tag,
    operationId: 'importProject',
    summary: 'Import a project from an archive',
    description: 'Runs in the background. Users are imported as placeholders.',
    access: onServer('create_project'),
    input: fileInput,
    bodyLimit: 'file',
    success: { status: 201, schema: ProjectImport },
    errors: [400, 403, 404, 413, 429],
    handler: async ({ deps, caller, input }) => {
      await authorizeArchiveImport(deps, caller, 'project_import');
      const made = await withArchive(deps, input.file, (archive) => startFileImport(deps, caller, input, archive));
      return presentImported(deps, made);
    },
  }),
  route({
    method: 'POST',
    path: '/projects/remote-import',
    tag,
    operationId: 'importRemoteProject',
    summary: 'Import a project from an archive at a URL',
    description: 'Downloaded and imported in the background; redirects are not followed.',
    access: onServer('create_project'),
    input: remoteInput,
    success: { status: 201, schema: ProjectImport },
    errors: [400, 403, 404, 429],
    handler: async ({ deps, caller, input }) => {
      await authorizeArchiveImport(deps, caller, 'project_import');
      await requireExternalAddress(deps, input.url, 'url');
      return presentImported(deps, await startFileImport(deps, caller, input, { url: input.url }));
    },
  }),
  route({
    method: 'POST',
    path: '/projects/remote-import-s3',
    tag,
    operationId: 'importProjectFromS3',
    summary: 'Import a project from an archive in an S3 bucket',
    description: 'Downloaded and imported in the background.',
    access: onServer('create_project'),
    input: s3Input,
    success: { status: 201, schema: ProjectImport },
    errors: [400, 403, 404, 429],
    handler: async ({ deps, caller, input }) => {
      await authorizeArchiveImport(deps, caller, 'project_import');
      const { region, bucket_name, file_key: key, access_key_id, secret_access_key } = input;
      const host = bucketHost(bucket_name, region);
      const object = { host, region, key, accessKeyId: access_key_id, secretAccessKey: secret_access_key };
      const url = presignedAddress(object, deps.clock.now());
      return presentImported(deps, await startFileImport(deps, caller, input, { url }));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/import',
    tag,
    operationId: 'getProjectImport',
    summary: 'Get the status of the import of a project',
    access: inProject('read_project'),
    success: { status: 200, schema: ProjectImport },
    handler: async ({ deps, project }) => presentImported(deps, project),
  }),
];
