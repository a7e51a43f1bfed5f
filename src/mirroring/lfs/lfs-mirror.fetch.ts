import type { Db } from '../../db/db.schema.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import type { RemoteSource } from '../../git/remote/index.ts';
import {
  insertLfsObjects,
  type LfsObject,
  lfsSizes,
  MAX_LFS_OBJECT_BYTES,
} from '../../repositories/repository.lfs-objects.ts';
import { outboundRules } from '../../settings/outbound-rules.ts';
import { BlobError } from '../../storage/blob-store.ts';
import type { LfsTransfer } from './batch.ts';
import { LfsFailure, statusFailure } from './lfs-mirror.failure.ts';
import { LfsRemote } from './lfs-mirror.remote.ts';
import { LFS_MS, Problems, transferAll } from './transfers.ts';

/** Maximum number and total size of the objects that one update fetches; the next update continues. */
const MAX_OBJECTS = 5_000;
const MAX_BYTES = MAX_LFS_OBJECT_BYTES;

export interface FetchLfs {
  signal: AbortSignal;
  /** Throws if objects are no longer wanted; called in each transaction that links one to the project. */
  revalidate: (db: Db) => Promise<void>;
  /** Time limit for all objects in milliseconds. */
  limitMs?: number;
}

export interface FetchedLfs {
  /** Objects that the project still lacks. */
  missing: LfsObject[];
  /** Reasons as sentences; null if no object is missing. */
  problem: string | null;
}

/**
 * Fetches LFS objects from another server. Each is stored durably and verified by its hash, so an interrupted run loses
 * nothing. An object is linked to the project only after its content was received: its name alone does not give access
 * to another project's object.
 * @throws the reason of the signal, errors of `revalidate`; never for failures of the other server
 */
export async function fetchLfsObjects(
  deps: Deps,
  project: Pick<Project, 'id'>,
  source: RemoteSource,
  objects: readonly LfsObject[],
  { signal, revalidate, limitMs = LFS_MS }: FetchLfs,
): Promise<FetchedLfs> {
  const oids = objects.map(({ oid }) => oid);
  const has = await lfsSizes(deps, project.id, oids);
  const missing = new Map(objects.filter(({ oid }) => !has.has(oid)).map((object) => [object.oid, object]));
  if (missing.size === 0) return { missing: [], problem: null };
  const remote = LfsRemote.of(source, await outboundRules(deps));
  const problems = new Problems('could not be fetched', signal);
  if (remote === null) {
    problems.add([...missing.keys()], new LfsFailure('LFS objects are fetched over HTTP only.'));
    return { missing: [...missing.values()], problem: problems.text };
  }
  const late = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const now = withinBounds([...missing.values()]);
  await transferAll(remote, 'download', now, late, problems, async (object, transfer, signal) => {
    await fetchObject(deps, remote, object, transfer, signal);
    await deps.db.transaction().execute(async (db) => {
      await revalidate(db);
      await insertLfsObjects(deps, db, project.id, [object]);
    });
    missing.delete(object.oid);
  });
  const rest = [...missing.keys()].filter((oid) => !problems.has(oid));
  problems.add(rest, problems.last ?? new LfsFailure('Too many for one update; the next update continues.'));
  return { missing: [...missing.values()], problem: problems.text };
}

function withinBounds(objects: readonly LfsObject[]): LfsObject[] {
  let bytes = 0;
  return objects.slice(0, MAX_OBJECTS).filter(({ size }) => {
    if (size <= MAX_LFS_OBJECT_BYTES) bytes += size;
    return bytes <= MAX_BYTES;
  });
}

/** Fetches and stores an object. @throws LfsFailure, the reason of the signal, disk errors */
async function fetchObject(
  deps: Deps,
  remote: LfsRemote,
  { oid, size }: LfsObject,
  transfer: LfsTransfer | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (size > MAX_LFS_OBJECT_BYTES) throw new LfsFailure('Larger than this server accepts.', { single: true });
  const action = transfer?.actions.get('download');
  if (action === undefined) throw statusFailure(transfer?.error ?? 404, { single: true });
  const bytes = await remote.download(action, signal);
  let broken = false;
  bytes.on('error', () => {
    broken = true;
  });
  try {
    await deps.blobs.put(bytes, { maxBytes: size, expectedSha256: oid, expectedSize: size });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BlobError) {
      throw new LfsFailure('The remote server sent different content.', { single: true });
    }
    throw broken ? new LfsFailure('The remote server closed the connection.') : error;
  } finally {
    bytes.destroy();
  }
}
