import { Type } from 'typebox';
import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { splitRefPath } from '../../../git/repository/index.ts';
import { DOWNLOAD_CREDENTIALS } from '../../../http/download-credentials.ts';
import { route } from '../../../http/http.route.ts';
import { matchesEtag, sendCached } from '../../../http/http.send.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { inProject } from '../../api.access.ts';
import { locateFile } from './repository-files.files.ts';
import { openRaw } from './repository-files.raw.ts';

/** Limits the rate of requests for a file, by any caller. @throws ApiError 429 */
function requireRawLimit({ limiter, settings }: Deps, projectId: number, path: string): void {
  if (limiter.allows('raw_blob', `${projectId}:${path}`, perMinute(settings.now.raw_blob_request_limit))) return;
  throw new ApiError(429, 'You cannot access the raw file. Please wait a minute.', {}, { 'Retry-After': '60' });
}

/** Web URLs of raw files, for users and tools. */
export const rawPageRoutes = [
  route({
    method: 'GET',
    root: true,
    path: '/:id/-/raw/*rest',
    summary: 'Download a file by its web address',
    description: 'The path of the project is not URL-encoded here. For files in Git LFS, the content is sent.',
    access: inProject('read_code', { anonymous: true }),
    credentials: DOWNLOAD_CREDENTIALS,
    scopes: ['read_repository'],
    params: Type.Object({ rest: Type.String({ description: 'Branch, tag or commit, then the path of the file.' }) }),
    success: { status: 200, contentType: 'application/octet-stream' },
    errors: [404],
    handler: async (c) => {
      const split = await splitRefPath(repositoryOf(c.deps, c.project), c.params.rest);
      if (split === null || split.path === '') throw notFound('File');
      requireRawLimit(c.deps, c.project.id, split.path);
      const file = await locateFile(c.deps, c.project, split.path, split.ref);
      const raw = await openRaw(c.deps, c.project, file, { lfs: true, signal: () => c.signal });
      if ('json' in raw) return sendCached(c.request, c.reply, raw);
      const known = c.request.headers['if-none-match'];
      if (known !== undefined && matchesEtag(known, raw.etag)) return c.reply.code(304).header('ETag', raw.etag).send();
      c.reply.headers(raw.headers);
      return c.request.method === 'HEAD' ? c.reply.send() : raw.open();
    },
  }),
];
