import { Type } from 'typebox';
import { ApiError } from '../../core/core.errors.ts';
import { type Route, route } from '../../http/http.route.ts';
import { findObjects, objectOf, openObject, storeObject } from '../lfs/lfs.objects.ts';
import { lfsRoute, pushes, READ_SCOPES, reads, WRITE_SCOPES } from './lfs-access.ts';
import { lfsLockRoutes } from './lfs-lock-routes.ts';
import { announcedParams, LfsBatch, objectParams, transferRequest } from './lfs-schema.ts';

const ABSENT = { code: 404, message: 'Object does not exist on the server or you have no access to it' };

/** Git LFS: batch API with basic transfers, and file locks. */
export const lfsRoutes: readonly Route[] = [
  route({
    ...lfsRoute('info/lfs/objects/batch'),
    operationId: 'requestLfsTransfer',
    method: 'POST',
    summary: 'Request the transfer of large files',
    description:
      'Uploads require permission to push. Objects that already exist need no upload. Each missing object of a download has its own `error`.',
    access: reads,
    scopes: READ_SCOPES,
    duringMaintenance: true,
    input: transferRequest,
    success: { status: 200, schema: LfsBatch },
    errors: [409, 422],
    handler: async ({ deps, access, input, request }) => {
      const { operation, objects, hash_algo = 'sha256' } = input;
      if (hash_algo !== 'sha256') throw new ApiError(409, 'hash_algo must be sha256');
      const transfers = await findObjects(deps, access, operation, objects);
      const base = `${deps.externalUrl()}/${access.project.full_path}.git/gitlab-lfs/objects`;
      const { authorization } = request.headers;
      const header = authorization === undefined ? {} : { Authorization: authorization };
      const download = (oid: string) => ({ href: `${base}/${oid}`, header });
      const upload = (oid: string, size: number) => ({
        href: `${base}/${oid}/${size}`,
        header: { ...header, 'Content-Type': 'application/octet-stream' },
      });
      return {
        transfer: 'basic',
        hash_algo,
        objects: transfers.map(({ oid, size, stored }) => {
          if (operation === 'upload') {
            if (stored !== null) return { oid, size: stored };
            return { oid, size, authenticated: true, actions: { upload: upload(oid, size) } };
          }
          if (stored === null) return { oid, size, error: ABSENT };
          return { oid, size: stored, authenticated: true, actions: { download: download(oid) } };
        }),
      };
    },
  }),
  route({
    ...lfsRoute('gitlab-lfs/objects/:oid/:size'),
    operationId: 'uploadLfsObject',
    method: 'PUT',
    summary: 'Upload a large file',
    description: 'Uses the address returned by the batch API. The content must match the size and hash in the address.',
    access: pushes,
    scopes: WRITE_SCOPES,
    params: Type.Object(announcedParams),
    body: {
      contentType: 'application/octet-stream',
      description: 'Content of the file.',
      limit: ({ params }) => objectOf(params).size,
    },
    success: { status: 200, empty: true },
    errors: [422],
    handler: ({ deps, access, params, bytes }) => storeObject(deps, access, objectOf(params), bytes),
  }),
  route({
    ...lfsRoute('gitlab-lfs/objects/:oid'),
    operationId: 'downloadLfsObject',
    method: 'GET',
    summary: 'Download a large file',
    access: reads,
    scopes: READ_SCOPES,
    params: Type.Object(objectParams),
    success: { status: 200, contentType: 'application/octet-stream' },
    handler: async ({ deps, access, params, reply }) => {
      const { size, bytes } = await openObject(deps, access, params.oid);
      reply.type('application/octet-stream').header('Content-Length', String(size));
      return bytes;
    },
  }),
  ...lfsLockRoutes,
];
