import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireStill } from '../../access/standing.ts';
import { timestamp } from '../../core/clock.ts';
import { ApiError, notFound } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import { lfsEnabled } from '../../repositories/lfs-locks.ts';
import { lfsSizes } from '../../repositories/lfs-objects.ts';
import { BlobError } from '../../storage/blob-store.ts';
import { admitGit, type ProjectAccess } from '../access.ts';
import { gitCaller, orChallenge } from './credentials.ts';
import { LFS_TYPE, requirePush, sendLfs } from './lfs-answers.ts';
import { registerLockRoutes } from './lfs-lock-routes.ts';
import { GIT_PREFIX } from './paths.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Project and caller of an LFS request, once it is admitted. */
    lfs: ProjectAccess | null;
  }
}

const OID = /^[0-9a-f]{64}$/;
const MAX_OBJECTS = 5_000;
const MAX_OBJECT_BYTES = 50 * 1024 * 1024 * 1024;

interface LfsObject {
  oid: string;
  size: number;
}

function readObjects(body: unknown): { operation: 'upload' | 'download'; objects: LfsObject[] } {
  const { operation, objects, hash_algo } = (body ?? {}) as Record<string, unknown>;
  if (operation !== 'upload' && operation !== 'download')
    throw new ApiError(422, 'operation must be upload or download');
  if (hash_algo !== undefined && hash_algo !== 'sha256') throw new ApiError(409, 'hash_algo must be sha256');
  if (!Array.isArray(objects) || objects.length > MAX_OBJECTS) {
    throw new ApiError(422, `objects must be a list of at most ${MAX_OBJECTS}`);
  }
  for (const object of objects as Partial<LfsObject>[]) {
    const { oid, size } = object ?? {};
    if (typeof oid !== 'string' || !OID.test(oid) || !Number.isSafeInteger(size) || size! < 0) {
      throw new ApiError(422, 'every object needs a sha256 oid and a size');
    }
  }
  return { operation, objects: objects as LfsObject[] };
}

async function batch(deps: Deps, request: FastifyRequest, access: ProjectAccess) {
  const { operation, objects } = readObjects(request.body);
  if (operation === 'upload') requirePush(access);
  const sizes = await lfsSizes(
    deps,
    access.project.id,
    objects.map(({ oid }) => oid),
  );
  const base = `${deps.externalUrl()}/${access.project.full_path}.git/gitlab-lfs/objects`;
  const { authorization } = request.headers;
  const header = authorization === undefined ? {} : { Authorization: authorization };
  return {
    transfer: 'basic',
    hash_algo: 'sha256',
    objects: objects.map(({ oid, size }) => {
      const stored = sizes.get(oid);
      if (operation === 'download') {
        return stored === undefined
          ? {
              oid,
              size,
              error: { code: 404, message: 'Object does not exist on the server or you have no access to it' },
            }
          : { oid, size: stored, authenticated: true, actions: { download: { href: `${base}/${oid}`, header } } };
      }
      if (stored !== undefined) return { oid, size: stored };
      const upload = {
        href: `${base}/${oid}/${size}`,
        header: { ...header, 'Content-Type': 'application/octet-stream' },
      };
      return { oid, size, authenticated: true, actions: { upload } };
    }),
  };
}

interface ObjectParams {
  oid: string;
  size: string;
}

async function upload(deps: Deps, request: FastifyRequest, access: ProjectAccess): Promise<void> {
  const { oid, size } = request.params as ObjectParams;
  if (!OID.test(oid) || !/^\d{1,15}$/.test(size)) throw notFound();
  if (Number(size) > MAX_OBJECT_BYTES) throw new ApiError(413, '413 Request Entity Too Large');
  try {
    await deps.blobs.put(request.body as Readable, {
      maxBytes: Number(size),
      expectedSha256: oid,
      expectedSize: Number(size),
    });
  } catch (error) {
    if (error instanceof BlobError)
      throw new ApiError(422, 'The object does not have the size and hash that it was announced with');
    throw error;
  }
  await deps.db.transaction().execute(async (db) => {
    await requireStill(deps, db, access.caller, access.project.id, 'push_code');
    await db
      .insertInto('lfs_objects')
      .values({ project_id: access.project.id, oid, size: Number(size), created_at: timestamp(deps.clock) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Git LFS: the batch API with the basic transfer, and file locks. */
export function registerLfsRoutes(app: FastifyInstance, deps: Deps): void {
  app.decorateRequest('lfs', null);
  const admit = (wants: 'read' | 'write') => async (request: FastifyRequest) => {
    const { repository } = request.params as { repository: string };
    const caller = await gitCaller(deps, request);
    const access = await orChallenge(() => admitGit(deps, caller, repository, wants));
    // Snippets have no large files.
    if (access.kind !== 'project') throw notFound();
    if (!lfsEnabled(access.project)) throw notFound();
    if (wants === 'write') requirePush(access);
    request.lfs = access;
    request.caller = access.caller;
  };
  app.register(async (scope) => {
    scope.addContentTypeParser(LFS_TYPE, { parseAs: 'string' }, (_request, text, done) => {
      try {
        done(null, text === '' ? {} : JSON.parse(text as string));
      } catch {
        done(new ApiError(400, 'Invalid json'));
      }
    });
    scope.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
    const prefix = `${GIT_PREFIX}/:repository`;
    scope.post(`${prefix}/info/lfs/objects/batch`, { onRequest: admit('read') }, async (request, reply) =>
      sendLfs(reply, 200, await batch(deps, request, request.lfs!)),
    );
    scope.put(`${prefix}/gitlab-lfs/objects/:oid/:size`, { onRequest: admit('write') }, async (request, reply) => {
      requirePush(request.lfs!);
      await upload(deps, request, request.lfs!);
      return reply.code(200).send();
    });
    scope.get(`${prefix}/gitlab-lfs/objects/:oid`, { onRequest: admit('read') }, async (request, reply) => {
      const { oid } = request.params as ObjectParams;
      const size = (await lfsSizes(deps, request.lfs!.project.id, [oid])).get(oid);
      const stream = size === undefined ? null : await deps.blobs.get(oid);
      if (size === undefined || stream === null) throw notFound();
      reply.type('application/octet-stream').header('Content-Length', String(size));
      return reply.send(stream);
    });
    registerLockRoutes(scope, deps, prefix, admit);
  });
}
