import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { Serialized } from '../../../http/http.send.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { readablePackages } from '../../../packages/package-registry.readable.ts';
import type { GroupScope, ProjectScope } from '../../api.access.ts';
import { UPLOAD_BODY } from '../receive-upload.ts';
import { publishes, readsGroupRegistry, readsRegistry } from '../registries.access.ts';
import { CHALLENGED, READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { sendDocument } from '../registries.documents.ts';
import { CREATED, CreatedMessage } from '../registries.responses.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { distributionFile } from './pypi.find.ts';
import { type IndexScope, sendIndex, sendName } from './pypi.pages.ts';
import { SIMPLE_TYPES } from './pypi.simple.ts';
import { storeDistribution } from './pypi.upload.ts';
import { METADATA, wheelMetadata } from './wheel-metadata.ts';

const shared = { tag: 'Python packages', credentials: CHALLENGED } as const;
const reading = { ...shared, method: 'GET', scopes: READ_PACKAGES } as const;
const page = {
  ...reading,
  success: {
    status: 200,
    contentType: SIMPLE_TYPES,
    description: 'The page as HTML (PEP 503) or JSON (PEP 691), depending on `Accept`.',
  },
  errors: [406],
} as const;
const named = {
  ...page,
  params: Type.Object({
    package_name: Type.String({
      description: 'Name of the package; normalized before comparison.',
      examples: ['my-package'],
    }),
  }),
} as const;
const file = {
  ...reading,
  ...blobSuccess('application/octet-stream', 'The file.'),
  params: Type.Object({
    sha256: Type.String({ description: 'SHA-256 of the file, 64 hexadecimal digits.' }),
    file_identifier: Type.String({
      description: 'Name of the file; with the suffix `.metadata`, the metadata of the wheel (PEP 658).',
      examples: ['my_package-1.0.0-py3-none-any.whl'],
    }),
  }),
} as const;

const inProjectOf = ({ project }: ProjectScope): IndexScope => ({
  source: { projectId: project.id },
  path: `/projects/${project.id}/packages/pypi`,
  title: project.name,
});

const inGroupOf = async ({ deps, caller, group }: BaseContext & GroupScope): Promise<IndexScope> => ({
  source: { readable: await readablePackages(deps, caller, { group }) },
  path: `/groups/${group.id}/-/packages/pypi`,
  title: group.name,
});

async function sendFile(c: BaseContext, { source }: IndexScope, digest: string, fileName: string) {
  const { db } = c.deps;
  const sha256 = digest.toLowerCase();
  const file = await distributionFile(db, source, sha256, fileName);
  if (file !== undefined) return sendPackageFile(c, file);
  if (!fileName.endsWith(METADATA)) throw notFound('Package');
  const wheel = await distributionFile(db, source, sha256, fileName.slice(0, -METADATA.length));
  const metadata = wheel && (await wheelMetadata(c, wheel, wheel.file_name));
  if (metadata === undefined) throw notFound('Package');
  return sendDocument(c, new Serialized(metadata), 'application/octet-stream');
}

/** Python packages for twine and pip (part 1, section 4.7; PEP 503, 658, 691, 700). */
export const pypiRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/projects/:id/packages/pypi',
    operationId: 'uploadPypiPackageFile',
    summary: 'Publish a file of a Python package',
    description:
      'The multipart body of twine: the file in `content`, with `name`, `version`, `requires_python`, `md5_digest`, `sha256_digest`, `metadata_version`, `author_email`, `description`, `description_content_type`, `summary` and `keywords`. Digests are compared with the uploaded file. A file name that the version already has is refused. The metadata of a wheel can be downloaded separately, as its links say.',
    access: publishes,
    scopes: WRITE_PACKAGES,
    body: UPLOAD_BODY,
    success: { status: 201, schema: CreatedMessage },
    handler: async (c) => {
      await storeDistribution(c, c.project);
      return CREATED;
    },
  }),
  route({
    ...page,
    path: '/projects/:id/packages/pypi/simple',
    operationId: 'getProjectPypiIndex',
    summary: 'Get the index of the Python packages of a project',
    access: readsRegistry,
    handler: (c) => sendIndex(c, inProjectOf(c)),
  }),
  route({
    ...named,
    path: '/projects/:id/packages/pypi/simple/:package_name',
    operationId: 'getProjectPypiPackage',
    summary: 'List the files of a Python package of a project',
    access: readsRegistry,
    handler: (c) => sendName(c, inProjectOf(c), c.params.package_name),
  }),
  route({
    ...file,
    path: '/projects/:id/packages/pypi/files/:sha256/:file_identifier',
    operationId: 'downloadProjectPypiFile',
    summary: 'Download a file of a Python package of a project',
    access: readsRegistry,
    handler: (c) => sendFile(c, inProjectOf(c), c.params.sha256, c.params.file_identifier),
  }),
  route({
    ...page,
    path: '/groups/:id/-/packages/pypi/simple',
    operationId: 'getGroupPypiIndex',
    summary: 'Get the index of the Python packages of a group',
    description: 'From all projects of the group and its subgroups whose packages the caller may read.',
    access: readsGroupRegistry,
    handler: async (c) => sendIndex(c, await inGroupOf(c)),
  }),
  route({
    ...named,
    path: '/groups/:id/-/packages/pypi/simple/:package_name',
    operationId: 'getGroupPypiPackage',
    summary: 'List the files of a Python package of a group',
    description:
      'From all projects of the group and its subgroups whose packages the caller may read. Of several files with the same name, the latest is listed.',
    access: readsGroupRegistry,
    handler: async (c) => sendName(c, await inGroupOf(c), c.params.package_name),
  }),
  route({
    ...file,
    path: '/groups/:id/-/packages/pypi/files/:sha256/:file_identifier',
    operationId: 'downloadGroupPypiFile',
    summary: 'Download a file of a Python package of a group',
    access: readsGroupRegistry,
    handler: async (c) => sendFile(c, await inGroupOf(c), c.params.sha256, c.params.file_identifier),
  }),
];
