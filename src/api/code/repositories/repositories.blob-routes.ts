import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { matchesEtag } from '../../../http/http.send.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject } from '../../api.access.ts';
import { findBlob, readBlob } from './blobs.ts';
import { Blob } from './repositories.responses.ts';

/** Smaller blobs are sent from memory, larger ones streamed from git. */
const MAX_IN_MEMORY = 1024 * 1024;
/** Git's own rule: a NUL in the first 8,000 bytes makes a file binary. */
const PROBE = 8_000;

const readable = inProject('read_code', { anonymous: true });
const params = Type.Object({ sha: Type.String({ description: 'Object id of the blob.' }) });

export const blobRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/blobs/:sha',
    summary: 'Get a blob, with Base64-encoded content',
    access: readable,
    params,
    success: { status: 200, schema: Blob },
    errors: [404, 413, 429],
    handler: async (c) => {
      const { deps, project, params, caller, request } = c;
      const repo = repositoryOf(deps, project);
      const blob = await findBlob(repo, params.sha);
      const who = caller.user === null ? request.ip : `user:${caller.user.id}`;
      const limit = { requests: 5, periodSeconds: 60 };
      const limitLarge = () => deps.limiter.check('large_blob', `${project.id}:${who}`, limit);
      return readBlob(repo, blob, limitLarge, (bytes) => c.hold(bytes));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/blobs/:sha/raw',
    summary: 'Get the raw content of a blob',
    access: readable,
    params,
    success: { status: 200, contentType: ['text/plain', 'application/octet-stream'] },
    errors: [404],
    handler: async (c) => {
      const repo = repositoryOf(c.deps, c.project);
      const { oid, size } = await findBlob(repo, c.params.sha);
      const etag = `"${oid}"`;
      c.reply.header('ETag', etag).header('Cache-Control', 'max-age=0, private, must-revalidate');
      const known = c.request.headers['if-none-match'];
      if (known !== undefined && matchesEtag(known, etag)) {
        c.reply.code(304);
        return undefined;
      }
      const data = (await repo.objects.read(oid, MAX_IN_MEMORY))?.data ?? null;
      const text = data !== null && !data.subarray(0, PROBE).includes(0);
      c.reply.type(text ? 'text/plain; charset=utf-8' : 'application/octet-stream');
      c.reply.header('Content-Disposition', 'inline').header('Content-Length', String(size));
      // An empty stream keeps the Content-Length, while an empty text would set it to 0.
      if (c.request.method === 'HEAD') return Readable.from([]);
      return data ?? repo.objects.stream(oid, { signal: c.signal });
    },
  }),
];
