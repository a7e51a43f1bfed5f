import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Enum } from '../../../http/http.schema.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { findFile } from '../../../packages/package-registry.find.ts';
import { addFile, publish } from '../../../packages/package-registry.publish.ts';
import { receiveUpload, StatusInput, UPLOAD_BODY } from '../receive-upload.ts';
import { publishes, readsRegistry } from '../registries.access.ts';
import { CHALLENGED, READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { CREATED, CreatedMessage } from '../registries.responses.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { genericFile } from './generic.names.ts';
import { PublishedFile, presentPublished } from './generic.responses.ts';

const shared = {
  path: '/projects/:id/packages/generic/:package_name/*package_path',
  tag: 'Generic packages',
  credentials: CHALLENGED,
  params: Type.Object({
    package_name: Type.String(),
    package_path: Type.String({
      description: 'Version, optional folders and file name, separated by slashes.',
      examples: ['1.0.0/linux/app.tar.gz'],
    }),
  }),
} as const;

/** Generic packages, for any HTTP client (part 1, section 4.7). */
export const genericRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'PUT',
    operationId: 'uploadGenericPackageFile',
    summary: 'Publish a file of a generic package',
    description: 'A file with the same name is kept; downloads get the latest one.',
    access: publishes,
    scopes: WRITE_PACKAGES,
    input: Type.Object({
      status: StatusInput,
      select: Type.Optional(Enum(['package_file'], { description: 'Return the package file instead of a message.' })),
    }),
    body: UPLOAD_BODY,
    success: { status: 201, schema: CreatedMessage },
    otherSuccess: { status: 200, schema: PublishedFile },
    handler: async (c) => {
      const { deps, caller, project, params, input, reply } = c;
      const { name, version, fileName } = genericFile(params.package_name, params.package_path);
      const upload = await receiveUpload(c, 'generic', 'file');
      const published = { caller, projectId: project.id, type: 'generic', name, version, status: input.status };
      const file = await publish(deps, { ...published, files: [upload.file] }, (publishing) =>
        addFile(deps, publishing, upload.file, fileName),
      );
      if (input.select === undefined) return CREATED;
      reply.code(200);
      const path = `/projects/${project.id}/packages/generic/${name}/${params.package_path}`;
      return presentPublished(deps, file, path);
    },
  }),
  route({
    ...shared,
    ...blobSuccess('application/octet-stream', 'The file.'),
    method: 'GET',
    operationId: 'downloadGenericPackageFile',
    summary: 'Download a file of a generic package',
    access: readsRegistry,
    scopes: READ_PACKAGES,
    handler: async (c) => {
      const at = genericFile(c.params.package_name, c.params.package_path);
      const key = { type: 'generic', nameKey: at.name, versionKey: at.version, fileName: at.fileName };
      const file = await findFile(c.deps.db, { projectId: c.project.id }, key);
      if (file === undefined) throw notFound('Package');
      c.reply.header('X-Checksum-SHA256', file.sha256);
      return sendPackageFile(c, file, file.file_name.split('%2F').at(-1));
    },
  }),
];
