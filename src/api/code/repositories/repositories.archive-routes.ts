import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { ARCHIVE_FORMATS } from '../../../git/trees/index.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { List } from '../../../http/http.schema.ts';
import { matchesEtag } from '../../../http/http.send.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject, type ProjectScope } from '../../api.access.ts';
import { ARCHIVE_TYPES, prepareArchive } from './repositories.archive.ts';
import { lfsObjectsOf } from './repositories.lfs-objects.ts';

const formats = `One of ${ARCHIVE_FORMATS.join(', ')}`;
const input = {
  sha: Type.Optional(Type.String({ description: 'Branch, tag or commit; the default branch when absent.' })),
  path: Type.Optional(Type.String({ description: 'Only this folder or file.' })),
  exclude_paths: Type.Optional(List(Type.String(), { maxItems: 100, description: 'Folders and files to leave out.' })),
  include_lfs_blobs: Type.Optional(
    Type.Boolean({ default: true, description: 'Include the content of LFS objects instead of their pointers.' }),
  ),
};
const withFormat = Type.Object({
  ...input,
  format: Type.Optional(Type.String({ description: `${formats}; tar.gz when absent.` })),
});

/**
 * Sends an archive.
 * @param options `withSha`: whether its name contains the commit id
 */
export async function sendArchive(
  c: BaseContext & ProjectScope,
  input: Static<typeof withFormat>,
  options: { withSha: boolean } = { withSha: true },
) {
  const { reply, request } = c;
  const prepared = await prepareArchive(repositoryOf(c.deps, c.project), c.project, {
    sha: input.sha,
    format: input.format,
    path: input.path,
    exclude: input.exclude_paths ?? [],
    lfs: input.include_lfs_blobs === false ? undefined : await lfsObjectsOf(c.deps, c.project),
    maxBytes: c.deps.config.limits.archive,
    ...options,
  });
  reply.header('ETag', prepared.etag).header('Cache-Control', 'max-age=0, private, must-revalidate');
  const known = request.headers['if-none-match'];
  if (known !== undefined && matchesEtag(known, prepared.etag)) {
    reply.code(304);
    return undefined;
  }
  const plan = await prepared.plan();
  reply.type(prepared.contentType).header('Content-Disposition', contentDisposition('attachment', prepared.fileName));
  if (request.method === 'HEAD') return Readable.from([]);
  return c.stream(plan.memory, () => prepared.open(plan, c.signal));
}

export const archiveCommon = {
  method: 'GET',
  access: inProject('read_code', { anonymous: true }),
  expensive: true,
  success: { status: 200, contentType: ARCHIVE_TYPES, description: 'The archive, streamed.' },
  errors: [404, 406, 422, 429],
} as const;

export const archiveRoutes = [
  route({
    ...archiveCommon,
    path: '/projects/:id/repository/archive',
    summary: 'Get an archive of the repository',
    input: withFormat,
    handler: (c) => sendArchive(c, { ...c.input, format: c.input.format || undefined }),
  }),
  route({
    ...archiveCommon,
    path: '/projects/:id/repository/archive.:format',
    summary: 'Get an archive of the repository in a format',
    params: Type.Object({ format: Type.String({ description: `${formats}.` }) }),
    input: Type.Object(input),
    handler: (c) => sendArchive(c, { ...c.input, format: c.params.format }),
  }),
];
