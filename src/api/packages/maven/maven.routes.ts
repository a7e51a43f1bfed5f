import { Type } from 'typebox';
import { type ApiError, notFound } from '../../../core/core.errors.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { readablePackages } from '../../../packages/package-registry.readable.ts';
import { StatusInput, UPLOAD_BODY } from '../receive-upload.ts';
import { publishes, readsGroupRegistry, readsRegistry } from '../registries.access.ts';
import { challenge, READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { MAVEN } from './maven.credentials.ts';
import { sendMavenFile } from './maven.download.ts';
import { readsProjectOfName } from './maven.instance-access.ts';
import { mavenFile, readMavenFile } from './maven.paths.ts';
import { compareChecksum, storeMavenFile } from './maven.upload.ts';

const shared = {
  tag: 'Maven packages',
  credentials: MAVEN,
  params: Type.Object({
    maven_path: Type.String({
      description:
        'Path in the repository: group, artifact, version and file, separated by slashes; or the metadata of an artifact. With the suffix `.md5`, `.sha1`, `.sha256` or `.sha512`, a checksum of the file.',
      examples: ['com/example/app/1.0.0/app-1.0.0.jar'],
    }),
  }),
} as const;

const CONTENT = ['application/octet-stream', 'text/plain'] as const;
const reading = {
  ...shared,
  method: 'GET',
  scopes: READ_PACKAGES,
  success: { status: 200, contentType: CONTENT, description: 'The file, or its checksum.' },
  otherSuccess: { status: 206, contentType: CONTENT, description: 'The requested range of the file.' },
} as const;

const missing = (): ApiError => notFound('Package');

/** Anonymous callers are challenged instead of 404, since they may find it when authenticated. */
const missingOrAsked =
  ({ caller }: BaseContext) =>
  (): ApiError =>
    caller.credential.kind === 'none' ? challenge() : missing();

/** Maven repositories for Maven, Gradle and sbt (part 1, section 4.7). */
export const mavenRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'PUT',
    path: '/projects/:id/packages/maven/*maven_path',
    operationId: 'uploadMavenPackageFile',
    summary: 'Publish a file of a Maven package',
    description:
      'A file with the same name is kept; downloads get the latest one. A `.sha1` is compared with the stored file and answered with 204; a `.md5` is ignored.',
    access: publishes,
    scopes: WRITE_PACKAGES,
    input: Type.Object({ status: StatusInput }),
    body: UPLOAD_BODY,
    success: { status: 200, empty: true, description: 'The file was stored.' },
    otherSuccess: { status: 204, empty: true, description: 'The checksum matches the file.' },
    errors: [409],
    handler: async (c) => {
      const at = mavenFile(c.params.maven_path);
      if (at.checksum !== 'sha1' && at.checksum !== 'md5') return storeMavenFile(c, c.project, at, c.input.status);
      if (await compareChecksum(c, c.project, at)) c.reply.code(204);
    },
  }),
  route({
    ...reading,
    path: '/projects/:id/packages/maven/*maven_path',
    operationId: 'downloadMavenPackageFile',
    summary: 'Download a file of a Maven package',
    access: readsRegistry,
    handler: (c) => sendMavenFile(c, { projectId: c.project.id }, readMavenFile(c.params.maven_path), missing),
  }),
  route({
    ...reading,
    path: '/groups/:id/-/packages/maven/*maven_path',
    operationId: 'downloadGroupMavenPackageFile',
    summary: 'Download a file of a Maven package of a group',
    description:
      'From all projects of the group and its subgroups whose packages the caller may read; the latest upload.',
    access: readsGroupRegistry,
    handler: async (c) => {
      const readable = await readablePackages(c.deps, c.caller, { group: c.group });
      return sendMavenFile(c, { readable }, readMavenFile(c.params.maven_path), missingOrAsked(c));
    },
  }),
  route({
    ...reading,
    path: '/packages/maven/*maven_path',
    operationId: 'downloadInstanceMavenPackageFile',
    summary: 'Download a file of a Maven package of any project',
    description: 'Only packages whose name is the full path of their project.',
    access: readsProjectOfName,
    handler: (c) => sendMavenFile(c, { projectId: c.project.id }, readMavenFile(c.params.maven_path), missing),
  }),
];
