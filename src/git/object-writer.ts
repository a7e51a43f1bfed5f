import { createHash, randomUUID } from 'node:crypto';
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
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDeflate, deflate, type ZlibOptions } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { isMissing, isTaken, syncFile, syncPath } from './durable.ts';
import type { ObjectFormat, ObjectType } from './objects.ts';
import { MOST_STORED, storedStream } from './packs/stored-stream.ts';
import { type FileContent, type StoredContent, sizeOf } from './stored-content.ts';

export interface NewObject {
  type: ObjectType;
  data: FileContent;
  /** Its id, where `nameObject` has been asked for it already. */
  oid?: string;
}

const deflateAsync = promisify<Buffer, ZlibOptions, Buffer>(deflate);
/** What is kept of so short a content to find it again takes an eighth of the memory, and finds nearly as much. */
const SHORT = 32 * 1024;
const WITH_LITTLE: ZlibOptions = { windowBits: 12, memLevel: 5 };
/** Up to here, writing takes less time than handing the work to another thread. */
const AT_ONCE = 64 * 1024;
const HASH_SLICE = 512 * 1024;
const STREAM_CHUNK = 256 * 1024;
/** Objects written at the same time, which bounds open files and compressed data held. */
const PARALLEL = 32;

/** The id of an object; a large one is hashed in slices, so that other requests go on in between. */
export async function nameObject(type: ObjectType, data: FileContent, format: ObjectFormat = 'sha1'): Promise<string> {
  const hash = createHash(format).update(`${type} ${sizeOf(data)}\0`);
  if (!Buffer.isBuffer(data)) {
    for await (const chunk of data.open() as AsyncIterable<Buffer>) hash.update(chunk);
    return hash.digest('hex');
  }
  for (let at = 0; at < data.length; at += HASH_SLICE) {
    if (at > 0) await nextTurn();
    hash.update(data.subarray(at, at + HASH_SLICE));
  }
  return hash.digest('hex');
}

async function compress(content: Buffer): Promise<Buffer> {
  const { length } = content;
  if (length <= MOST_STORED) return storedStream(content);
  const options = { level: 1, chunkSize: Math.min(length + 1_024, 1024 * 1024) };
  return await deflateAsync(content, length <= SHORT ? { ...options, ...WITH_LITTLE } : options);
}

interface Pending {
  oid: string;
  temporary: string;
  final: string;
  folder: string;
}

/**
 * Writes loose objects into one repository. They are durable, and visible to every git process, when the promise
 * fulfils; an object that is there already is kept and counts as used just now, so that no clean-up takes it.
 */
export class ObjectWriter {
  readonly #objects: string;
  readonly #format: ObjectFormat;

  /** @param dir the repository's directory */
  constructor(dir: string, format: ObjectFormat = 'sha1') {
    this.#objects = join(dir, 'objects');
    this.#format = format;
  }

  /**
   * @param objects in any order; they are all there or, after an error, some are, unreferenced
   * @returns their ids, in the order given
   * @throws the file system's error (disk full, no permission)
   */
  async write(objects: readonly NewObject[]): Promise<string[]> {
    const oids: string[] = [];
    const folders = new Set<string>();
    const known = new Set<string>();
    for (let at = 0; at < objects.length; at += PARALLEL) {
      const batch = objects.slice(at, at + PARALLEL);
      const named = await Promise.all(
        batch.map(async ({ type, data, oid }) => ({
          type,
          data,
          oid: oid ?? (await nameObject(type, data, this.#format)),
        })),
      );
      for (const { oid } of named) oids.push(oid);
      const fresh = named.filter(({ oid }) => !known.has(oid) && known.add(oid));
      await this.#writeBatch(fresh, folders);
    }
    await syncFolders(this.#objects, [...folders]);
    return oids;
  }

  async #writeBatch(batch: Required<NewObject>[], folders: Set<string>): Promise<void> {
    const results = await Promise.allSettled(batch.map((object) => this.#writeTemporary(object, folders)));
    const pending = results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      await Promise.allSettled(pending.map(({ temporary }) => unlink(temporary)));
      throw failed.reason;
    }
    // The name appears only once the content is safe, so a crash never leaves a broken object behind.
    for (const { temporary, final, folder } of pending) {
      renameSync(temporary, final);
      folders.add(folder);
    }
  }

  async #writeTemporary({ type, data, oid }: Required<NewObject>, folders: Set<string>): Promise<Pending | null> {
    const folder = join(this.#objects, oid.slice(0, 2));
    const final = join(folder, oid.slice(2));
    if (freshen(final)) {
      // Its writer may not have synced the folder yet.
      folders.add(folder);
      return null;
    }
    const header = Buffer.from(`${type} ${sizeOf(data)}\0`);
    const compressed = Buffer.isBuffer(data) ? await compress(Buffer.concat([header, data])) : null;
    const temporary = join(folder, `tmp_obj_${randomUUID()}`);
    await writeInto(folder, temporary, (path) =>
      compressed === null ? writeStored(path, header, data as StoredContent) : writeSynced(path, compressed),
    );
    return { oid, temporary, final, folder };
  }
}

/** Folders of objects whose names are durable, each with what tells it from another that was made in its place later. */
const known = new LRUCache<string, string>({ max: 5_000 });

/**
 * Makes the names in some folders durable, and their own: also where another writer has made a folder just now.
 * @param parent of all
 */
async function syncFolders(parent: string, folders: readonly string[]): Promise<void> {
  const identities = folders.map(identityOf);
  const fresh = folders.some((folder, at) => known.get(folder) !== identities[at]);
  await Promise.all((fresh ? [parent, ...folders] : folders).map(syncPath));
  for (const [at, folder] of folders.entries()) known.set(folder, identities[at]!);
}

/** Where the file system does not tell when a folder was made, it is never the same. */
function identityOf(folder: string): string {
  const { dev, ino, birthtimeNs } = lstatSync(folder, { bigint: true });
  return birthtimeNs > 0n ? `${dev} ${ino} ${birthtimeNs}` : randomUUID();
}

function freshen(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return found.size > 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Writes a new file into a folder that is made where there is none, again where a clean-up takes the empty folder away. */
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
  if (data.length > AT_ONCE) return writeLarge(path, data);
  const file = openSync(path, 'wx', 0o444);
  try {
    writeFileSync(file, data);
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

async function writeLarge(path: string, data: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o444);
  try {
    await handle.writeFile(data);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Compresses a large content while it is read. */
async function writeStored(path: string, header: Buffer, content: StoredContent): Promise<void> {
  async function* bytes() {
    yield header;
    yield* content.open() as AsyncIterable<Buffer>;
  }
  const target = createWriteStream(path, { flags: 'wx', mode: 0o444, flush: true });
  await pipeline(bytes, createDeflate({ level: 1, chunkSize: STREAM_CHUNK }), target);
}
