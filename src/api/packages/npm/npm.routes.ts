import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { forbidden, notFound } from '../../../core/core.errors.ts';
import type { BaseContext, Route } from '../../../http/http.route.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { findFile } from '../../../packages/package-registry.find.ts';
import type { ReceivedFile } from '../../../packages/receive.ts';
import type { ProjectScope } from '../../api.access.ts';
import { publishes, readsRegistry } from '../registries.access.ts';
import { READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { deprecate, readDeprecations } from './deprecate.ts';
import { readManifest } from './manifest.ts';
import { accessForNpm, npmError } from './npm.errors.ts';
import { tarballOf } from './npm.names.ts';
import { type Publication, publishVersion } from './npm.publish.ts';
import { discardBody, type NpmBody, readNpmBody } from './npm.read-body.ts';
import { packageName, REGISTRY_ENDPOINTS } from './npm.registry-endpoints.ts';
import { registryRoutes } from './npm.registry-routes.ts';
import { NpmPublished } from './npm.responses.ts';
import { npmRoute } from './npm.route.ts';

const path = '/projects/:id/packages/npm';

/** Values of `npm-command` that change deprecations only. */
const DEPRECATING: ReadonlySet<string> = new Set(['deprecate', 'undeprecate']);

const publishing = npmRoute({
  method: 'PUT',
  path: `${path}/:package_name`,
  operationId: 'publishProjectNpmPackage',
  summary: 'Publish a version of an npm package, or deprecate versions',
  description:
    'The body of `npm publish`: a document with one version, and its file as Base64 in `_attachments`. With the header `npm-command: deprecate` (or `undeprecate`): the document of the package, in which `deprecated` of each version is the message, or empty to undo the deprecation. Deprecating takes the permission to delete packages.',
  access: accessForNpm(publishes),
  scopes: WRITE_PACKAGES,
  params: Type.Object(packageName),
  body: {
    contentType: 'application/json',
    description: 'Document of the package.',
    // Bodies that are too large are refused with the message of the registry.
    limit: () => Number.MAX_SAFE_INTEGER,
  },
  success: { status: 200, schema: NpmPublished },
  errors: [413, 429],
  handler: async (c) => {
    const { deps, caller, request, project, permissions } = c;
    const name = c.params.package_name;
    const target = { caller, projectId: project.id, name };
    const deprecates = DEPRECATING.has(String(request.headers['npm-command']));
    if (deprecates && !permissions.can('destroy_package')) throw forbidden();
    const { document, file } = await readNpmBody(c);
    if (deprecates) {
      if (file !== null) await discardBody(c, file);
      await deprecate(deps, target, readDeprecations(document));
      return { ok: true, id: name };
    }
    await publishVersion(deps, target, await publicationOf(c, name, document, file));
    return { ok: true, id: name };
  },
});

/** Validates a publication; the file of an invalid one is released. @throws ApiError 400 */
async function publicationOf(
  c: BaseContext,
  name: string,
  document: NpmBody['document'],
  file: ReceivedFile | null,
): Promise<Publication> {
  try {
    const manifest = readManifest(document, name);
    if (file === null || file.size === 0) throw npmError(400, 'Attachment data is empty.');
    return { manifest, file };
  } catch (error) {
    if (file !== null) await discardBody(c, file);
    throw error;
  }
}

const downloading = {
  ...blobSuccess('application/octet-stream', 'The file, a gzipped tar archive.'),
  method: 'GET',
  access: accessForNpm(readsRegistry),
  scopes: READ_PACKAGES,
} as const;
const fileName = Type.String({ description: 'Name of the file.', examples: ['@acme/app-1.0.0.tgz'] });

async function download(c: BaseContext & ProjectScope, name: string, file: string): Promise<Readable | undefined> {
  const key = { type: 'npm', nameKey: name, fileName: tarballOf(name, file) };
  const tarball = await findFile(c.deps.db, { projectId: c.project.id }, key);
  if (tarball === undefined) throw notFound('Package');
  return sendPackageFile(c, tarball, tarball.file_name.split('/').at(-1));
}

const downloads = [
  npmRoute({
    ...downloading,
    path: `${path}/:package_name/-/*file_name`,
    operationId: 'downloadProjectNpmPackage',
    summary: 'Download the file of a version of an npm package',
    params: Type.Object({ ...packageName, file_name: fileName }),
    handler: (c) => download(c, c.params.package_name, c.params.file_name),
  }),
  npmRoute({
    ...downloading,
    path: `${path}/:package_scope/:package_name/-/*file_name`,
    operationId: 'downloadProjectNpmScopedPackage',
    summary: 'Download the file of a version of an npm package with a scope',
    description: 'At the URL from the metadata of the package, with an unescaped slash.',
    params: Type.Object({
      package_scope: Type.String({ description: 'Scope of the package.', examples: ['@acme'] }),
      package_name: Type.String({ description: 'Name of the package, without the scope.' }),
      file_name: fileName,
    }),
    handler: (c) => download(c, `${c.params.package_scope}/${c.params.package_name}`, c.params.file_name),
  }),
];

/** The npm registry, for npm, yarn and pnpm (part 1, section 4.7). */
export const npmRoutes: readonly Route[] = [...REGISTRY_ENDPOINTS.flatMap(registryRoutes), publishing, ...downloads];
