import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type ObjectType } from '../../common/index.ts';
import { isMissing, MAX_STORED_BYTES, storedStart } from '../../files/index.ts';
import { BlockFile } from './block-file.ts';
import type { BlockFiles } from './block-files.ts';
import { refuse } from './file-handle.ts';
import { inflateBytes, inflateBytesSync, inflatePrefix, maxAnyCompressedBytes } from './inflate.ts';
import { inflateChunks } from './inflate-chunks.ts';
import { concatChunks, type RawObject, type RawStream } from './raw-object.ts';

/** Files up to this size are read as a whole. */
const BATCH_SIZE = 16 * 1024;
/** Enough compressed bytes for the object header, which comes first. */
const START = 512;
const WHOLE = 1024 * 1024;
const HEADER = /^(commit|tree|blob|tag) (0|[1-9]\d{0,15})\0/;

interface Header {
  type: ObjectType;
  size: number;
  /** Length of the header in bytes. */
  length: number;
}

/** The loose objects of one folder. */
export class LooseObjects {
  readonly #folder: string;
  readonly #files: BlockFiles;

  /** @param folder the `objects` folder */
  constructor(folder: string, files: BlockFiles) {
    this.#folder = folder;
    this.#files = files;
  }

  /** Whether an object has a loose file. */
  has(oid: string): boolean {
    try {
      return statSync(this.#path(oid), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if (isMissing(error)) return false;
      return refuse(error, this.#path(oid));
    }
  }

  /**
   * Reads a loose object.
   * @param maxBytes larger objects come without their content; below 0 only type and size are read
   * @throws GitError `corrupt`; the file system's error if the file is missing
   */
  async read(oid: string, maxBytes: number): Promise<RawObject> {
    const { file, bytes, header } = await this.#open(oid);
    const { type, size, length } = header;
    try {
      if (size > maxBytes) return { type, size, data: null };
      const all = length + size;
      const data =
        size > WHOLE
          ? await concatChunks(inflateChunks(file, 0, all), all)
          : await contentOf(bytes ?? (await file.read(0, Math.min(file.size, maxAnyCompressedBytes(all)))), all);
      return { type, size, data: data.subarray(length) };
    } finally {
      file.close();
    }
  }

  /** Streams the content; throws as `read`. */
  async stream(oid: string): Promise<RawStream> {
    const { file, header } = await this.#open(oid);
    const { type, size, length } = header;
    if (size > WHOLE) return { type, size, chunks: withoutHeader(file, length, size) };
    file.close();
    const { data } = await this.read(oid, size);
    return { type, size, chunks: [data!] };
  }

  /** Returns the ids with a prefix of two or more digits. */
  async beginningWith(digits: string): Promise<string[]> {
    try {
      const names = await readdir(join(this.#folder, digits.slice(0, 2)));
      const ids = names.map((name) => `${digits.slice(0, 2)}${name}`);
      return ids.filter((id) => id.startsWith(digits) && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(id));
    } catch (error) {
      if (isMissing(error)) return [];
      return refuse(error, this.#folder);
    }
  }

  #path(oid: string): string {
    return join(this.#folder, oid.slice(0, 2), oid.slice(2));
  }

  async #open(oid: string): Promise<{ file: BlockFile; bytes: Buffer | null; header: Header }> {
    const path = this.#path(oid);
    const file = new BlockFile(path, this.#files);
    const bytes = smallFile(path);
    try {
      const start = bytes?.subarray(0, START) ?? (await file.read(0, START));
      if (start.length === 0) throw new GitError('corrupt', `object file ${path} is empty`);
      return { file, bytes, header: headerOf(storedStart(start) ?? inflatePrefix(start), path) };
    } catch (error) {
      file.close();
      throw error;
    }
  }
}

const contentOf = (bytes: Buffer, size: number): Buffer | Promise<Buffer> =>
  size <= MAX_STORED_BYTES && storedStart(bytes) !== null
    ? inflateBytesSync(bytes, 0, bytes.length, size, Buffer.allocUnsafeSlow(size))
    : inflateBytes(bytes, size);

function smallFile(path: string): Buffer | null {
  try {
    return statSync(path).size <= BATCH_SIZE ? readFileSync(path) : null;
  } catch (error) {
    return refuse(error, path);
  }
}

function headerOf(start: Buffer, path: string): Header {
  const match = HEADER.exec(start.toString('latin1', 0, 32));
  if (match === null) throw new GitError('corrupt', `object file ${path} is corrupt: bad header`);
  return { type: match[1] as ObjectType, size: Number(match[2]), length: match[0].length };
}

async function* withoutHeader(file: BlockFile, length: number, size: number): AsyncGenerator<Buffer> {
  let first = true;
  try {
    for await (const chunk of inflateChunks(file, 0, length + size)) {
      yield first ? chunk.subarray(length) : chunk;
      first = false;
    }
  } finally {
    file.close();
  }
}
