import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObjectFormat, ObjectType } from '../common/index.ts';
import { type FileContent, type NamedObject, sizeOf, storeObjects, syncFolders, writeFiles } from '../files/index.ts';

export interface NewObject {
  type: ObjectType;
  data: FileContent;
  /** Its id, if `nameObject` has already computed it. */
  oid?: string;
}

const HASH_SLICE = 512 * 1024;
/** Maximum number of objects written concurrently, which bounds open files and buffered data. */
const PARALLEL = 32;
/** Larger writes run in this thread, since their data would have to be copied to the writer thread. */
const MAX_IN_THREAD = 512 * 1024;

/** Computes an object id; hashes large objects in slices, so that other requests can run in between. */
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

/**
 * Writes loose objects into one repository. They are durable and visible to every git process when the promise fulfils.
 * Existing objects are kept and touched, so that no clean-up removes them.
 */
export class ObjectWriter {
  readonly #objects: string;
  readonly #format: ObjectFormat;

  /** @param dir directory of the repository */
  constructor(dir: string, format: ObjectFormat = 'sha1') {
    this.#objects = join(dir, 'objects');
    this.#format = format;
  }

  /**
   * Writes objects.
   * @param objects in any order; after an error, some may exist, unreferenced
   * @returns their ids in the given order
   * @throws the file system's error (disk full, no permission)
   */
  async write(objects: readonly NewObject[]): Promise<string[]> {
    const oids: string[] = [];
    await this.store(objects, oids);
    return oids;
  }

  /**
   * As `write`.
   * @param oids receives their ids in the given order
   * @returns the ids of those that did not exist before
   */
  async store(objects: readonly NewObject[], oids: string[] = []): Promise<Set<string>> {
    const fresh = new Set<string>();
    const folders = new Set<string>();
    const known = new Set<string>();
    for (let at = 0; at < objects.length; at += PARALLEL) {
      const named = await this.#named(objects.slice(at, at + PARALLEL));
      for (const { oid } of named) oids.push(oid);
      const batch = named.filter(({ oid }) => !known.has(oid) && known.add(oid));
      if (objects.length <= PARALLEL && isLight(batch)) return new Set(await storeObjects(this.#objects, batch));
      for (const oid of await writeFiles(this.#objects, batch, folders)) fresh.add(oid);
    }
    await syncFolders(this.#objects, [...folders]);
    return fresh;
  }

  #named(batch: readonly NewObject[]): Promise<NamedObject[]> {
    const name = async ({ type, data, oid }: NewObject) => ({
      type,
      data,
      oid: oid ?? (await nameObject(type, data, this.#format)),
    });
    return Promise.all(batch.map(name));
  }
}

function isLight(batch: readonly NamedObject[]): batch is (NamedObject & { data: Buffer })[] {
  let bytes = 0;
  for (const { data } of batch) {
    if (!Buffer.isBuffer(data)) return false;
    bytes += data.length;
  }
  return bytes <= MAX_IN_THREAD;
}
