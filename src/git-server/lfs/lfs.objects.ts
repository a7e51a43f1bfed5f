import type { Readable } from 'node:stream';
import { revalidateProjectAbility } from '../../access/caller-in-project.ts';
import { requireDeployKeyPush } from '../../access/key-caller.ts';
import { requireStorage } from '../../access/storage-limit.ts';
import { transactionDeps } from '../../access/transaction-deps.ts';
import { ApiError, notFound } from '../../core/core.errors.ts';
import { pluck } from '../../core/pluck.ts';
import type { Deps } from '../../deps.ts';
import {
  insertLfsObjects,
  type LfsObject,
  lfsSizes,
  MAX_LFS_OBJECT_BYTES,
} from '../../repositories/repository.lfs-objects.ts';
import { refusalOfBytes, repositorySizeRefusal } from '../../settings/repository-size-limit.ts';
import { refuseInMaintenance } from '../../settings/settings.maintenance.ts';
import { BlobError } from '../../storage/blob-store.ts';
import type { ProjectAccess } from '../project-access.ts';
import { requirePush } from './lfs.access.ts';

const OID = /^[0-9a-f]{64}$/;
const MAX_OBJECTS = 5_000;

/**
 * Checks which of the requested objects the project has.
 * @returns the objects in the requested order with their stored size, null for missing ones
 * @throws ApiError 403 for an upload without the right to push; 413, 422, 503
 */
export async function findObjects(
  deps: Deps,
  access: ProjectAccess,
  operation: 'upload' | 'download',
  objects: readonly LfsObject[],
): Promise<(LfsObject & { stored: number | null })[]> {
  if (operation === 'upload') {
    requirePush(access);
    refuseInMaintenance(deps, 'push');
    requireRoom(deps, access, objects);
    await requireStorage(deps, access.project);
  }
  if (objects.length > MAX_OBJECTS)
    throw new ApiError(413, `Too many objects: a request can have at most ${MAX_OBJECTS}`);
  for (const { oid, size } of objects) {
    if (!OID.test(oid) || size < 0) throw new ApiError(422, 'every object needs a sha256 oid and a size');
  }
  const sizes = await lfsSizes(deps, access.project.id, pluck(objects, 'oid'));
  return objects.map(({ oid, size }) => ({ oid, size, stored: sizes.get(oid) ?? null }));
}

/** @throws ApiError 406 if the repository size limit would be exceeded */
function requireRoom(deps: Deps, { project }: ProjectAccess, objects: readonly LfsObject[]): void {
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  const reason = repositorySizeRefusal(deps, project, 'push') ?? refusalOfBytes(deps, project, bytes);
  if (reason !== null) throw new ApiError(406, reason);
}

/** Parses an object from a URL. @throws ApiError 404 for an invalid one, 413 */
export function objectOf({ oid, size }: { oid: string; size: string }): LfsObject {
  if (!OID.test(oid) || !/^\d{1,15}$/.test(size)) throw notFound();
  if (Number(size) > MAX_LFS_OBJECT_BYTES) throw new ApiError(413, '413 Request Entity Too Large');
  return { oid, size: Number(size) };
}

/**
 * Stores an object durably and links it to the project.
 * @throws ApiError 403 and 404 if the right to push is lost meanwhile; 422 if the content does not match
 */
export async function storeObject(
  deps: Deps,
  access: ProjectAccess,
  { oid, size }: LfsObject,
  bytes: Readable,
): Promise<void> {
  requireRoom(deps, access, [{ oid, size }]);
  await requireStorage(deps, access.project);
  try {
    await deps.blobs.put(bytes, { maxBytes: size, expectedSha256: oid, expectedSize: size });
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new ApiError(422, 'The object does not match its announced size and hash');
  }
  await deps.db.transaction().execute(async (db) => {
    if (access.deployKeyId === undefined) {
      await revalidateProjectAbility(deps, db, access.caller, access.project.id, 'push_code');
    } else {
      await requireDeployKeyPush(transactionDeps(deps, db), access.deployKeyId, access.project.id);
    }
    await insertLfsObjects(deps, db, access.project.id, [{ oid, size }]);
  });
}

/** Opens an object of the project. @throws ApiError 404 */
export async function openObject(
  deps: Deps,
  { project }: ProjectAccess,
  oid: string,
): Promise<{ size: number; bytes: Readable }> {
  const size = (await lfsSizes(deps, project.id, [oid])).get(oid);
  const bytes = size === undefined ? null : await deps.blobs.get(oid);
  if (size === undefined || bytes === null) throw notFound();
  return { size, bytes };
}
