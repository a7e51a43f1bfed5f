import { randomUUID } from 'node:crypto';
import {
  closeSync,
  createWriteStream,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { createDeflate, deflate, deflateSync, type ZlibOptions } from 'node:zlib';
import { EntryCache } from '../../core/cache/index.ts';
import { isUnsynced, syncHandle } from '../../core/unsynced-folders.ts';
import type { ObjectType } from '../common/index.ts';
import { isMissing, isTaken, syncFile, syncIfThere, syncPath } from './durable.ts';
import { type FileContent, type StoredContent, sizeOf } from './stored-content.ts';
import { MAX_STORED_BLOCK, MAX_STORED_BYTES, storedStream } from './stored-stream.ts';

/** An object to write, with its name. */
export interface NamedObject {
  type: ObjectType;
  data: FileContent;
  oid: string;
}

const deflateAsync = promisify<Buffer, ZlibOptions, Buffer>(deflate);
/** For contents up to this size, zlib's smaller window takes an eighth of the memory and compresses nearly as well. */
const SHORT = 32 * 1024;
const WITH_LITTLE: ZlibOptions = { windowBits: 12, memLevel: 5 };
/** Up to this size, writing is faster than handing the work to another thread. */
const BATCH_SIZE = 64 * 1024;
const STREAM_CHUNK = 256 * 1024;

/**
 * Maximum size of an uncompressed object. Trees consist mostly of ids: compression saves a third at best and takes half
 * a millisecond.
 */
const maxStored = (type: ObjectType): number => (type === 'tree' ? MAX_STORED_BLOCK : MAX_STORED_BYTES);

async function compress(content: Buffer, type: ObjectType): Promise<Buffer> {
  const { length } = content;
  if (length <= maxStored(type)) return storedStream(content);
  const options = { level: 1, chunkSize: Math.min(length + 1_024, 1024 * 1024) };
  const suited = length <= SHORT ? { ...options, ...WITH_LITTLE } : options;
  // Short contents block only the main thread.
  return isMainThread || length > BATCH_SIZE ? await deflateAsync(content, suited) : deflateSync(content, suited);
}

interface Pending {
  oid: string;
  temporary: string;
  final: string;
  folder: string;
}

/**
 * Writes objects into their files. Their content is durable when it fulfils, their names are not.
 * @param objects the `objects` folder of the repository
 * @param batch objects that may be processed concurrently
 * @param folders receives the folders of their names
 * @returns the names of those that did not exist
 * @throws the file system's error
 */
export async function writeFiles(
  objects: string,
  batch: readonly NamedObject[],
  folders: Set<string>,
): Promise<string[]> {
  const results = await Promise.allSettled(batch.map((object) => writeTemporary(objects, object, folders)));
  const pending = results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await Promise.allSettled(pending.map(({ temporary }) => unlink(temporary)));
    throw failed.reason;
  }
  // The name appears only after the content is durable, so a crash never leaves a broken object.
  for (const { temporary, final, folder } of pending) {
    renameSync(temporary, final);
    folders.add(folder);
  }
  return pending.map(({ oid }) => oid);
}

async function writeTemporary(
  objects: string,
  { type, data, oid }: NamedObject,
  folders: Set<string>,
): Promise<Pending | null> {
  const folder = join(objects, oid.slice(0, 2));
  const final = join(folder, oid.slice(2));
  if (freshen(final)) {
    // Its writer may not have synced the folder yet.
    folders.add(folder);
    return null;
  }
  const header = Buffer.from(`${type} ${sizeOf(data)}\0`);
  const compressed = Buffer.isBuffer(data) ? await compress(Buffer.concat([header, data]), type) : null;
  const temporary = join(folder, `tmp_obj_${randomUUID()}`);
  await writeInto(folder, temporary, (path) =>
    compressed === null ? writeStored(path, header, data as StoredContent) : writeSynced(path, compressed),
  );
  return { oid, temporary, final, folder };
}

/** Object folders with durable names, with an identity that distinguishes them from a re-created folder. */
const known = new EntryCache<string, string>('git_synced_folders');

/**
 * Makes the names of objects and of their folders durable, also after another writer has just created one. Concurrent
 * packing removes packed files and empty folders; then the pack names count.
 * @param objects the `objects` folder of the repository
 * @param folders of objects that existed a moment ago
 * @throws the file system's error
 */
export async function syncFolders(objects: string, folders: readonly string[]): Promise<void> {
  const identities = folders.map(identityOf);
  const fresh = folders.some((folder, at) => known.get(folder) !== identities[at]);
  const [areThere] = await Promise.all([Promise.all(folders.map(syncIfThere)), fresh ? syncPath(objects) : undefined]);
  if (areThere.includes(false)) await syncPath(join(objects, 'pack'));
  for (const [at, folder] of folders.entries()) known.set(folder, identities[at]!);
}

/** Never equal if the file system has no creation time, or the folder is missing. */
function identityOf(folder: string): string {
  const stats = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || stats.birthtimeNs === 0n) return randomUUID();
  return `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`;
}

function freshen(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return stats.size > 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Writes a new file into a folder and creates the folder if it is missing, repeatedly if a concurrent clean-up removes
 * it.
 */
async function writeInto(folder: string, path: string, write: (path: string) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write(path);
      return;
    } catch (error) {
      if (!isMissing(error)) await unlink(path).catch(() => {});
      if (!isMissing(error) || attempt > 3) throw error;
    }
    makeFolder(folder);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
}

async function writeSynced(path: string, data: Buffer): Promise<void> {
  if (data.length > BATCH_SIZE) return writeLarge(path, data);
  const file = openSync(path, 'wx', 0o444);
  try {
    writeFileSync(file, data);
    await syncFile(file, path);
  } finally {
    closeSync(file);
  }
}

async function writeLarge(path: string, data: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o444);
  try {
    await handle.writeFile(data);
    await syncHandle(handle, path);
  } finally {
    await handle.close();
  }
}

/** Compresses a large content while reading it. */
async function writeStored(path: string, header: Buffer, content: StoredContent): Promise<void> {
  async function* bytes() {
    yield header;
    yield* content.open() as AsyncIterable<Buffer>;
  }
  const target = createWriteStream(path, { flags: 'wx', mode: 0o444, flush: !isUnsynced(path) });
  await pipeline(bytes, createDeflate({ level: 1, chunkSize: STREAM_CHUNK }), target);
}
