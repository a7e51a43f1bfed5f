import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GitError } from '../../common/index.ts';
import { isMissing } from '../../files/index.ts';
import { LooseObjects } from './loose-objects.ts';
import type { Pack } from './pack.ts';
import { PendingRead } from './pack-contents.ts';
import { PackFolder } from './pack-folder.ts';
import { detachedObject, type PackResources, type RawObject, type RawStream } from './raw-object.ts';

/** Maximum number of retries while objects move between files. Each retry requires a change on disk. */
const MAX_LOOKS = 20;
/** Maximum number of alternates that are followed. */
const MAX_FOLDERS = 100;
/** Bytes hashed at a time. */
const SLICE = 512 * 1024;
/** Objects up to this size are hashed in one piece with their header, which is a third faster than a streaming hash. */
const hashed = Buffer.allocUnsafeSlow(64 * 1024);
const LONGEST_HEADER = 64;

interface Source {
  read(maxBytes: number): RawObject | Promise<RawObject>;
  stream(): Promise<RawStream>;
}

/** Reads the objects of one repository, including its alternates. */
export class ObjectStore {
  readonly #shared: PackResources;
  readonly #hashBytes: number;
  /** The repository's own folder comes first. */
  #folders: { packs: PackFolder; loose: LooseObjects }[];

  /**
   * @param folder the `objects` folder; nothing is read yet
   * @param hashBytes length of its object ids: 20 or 32
   */
  constructor(folder: string, shared: PackResources, hashBytes: number) {
    this.#shared = shared;
    this.#hashBytes = hashBytes;
    this.#folders = [this.#open(folder)];
  }

  /** Whether hexadecimal digits are a complete id in this repository. */
  isComplete(digits: string): boolean {
    return digits.length === this.#hashBytes * 2;
  }

  /**
   * Reads an object. Its content, if included, is verified against the id.
   * @param oid complete
   * @param maxBytes larger objects come without their content; below 0 only type and size are read
   * @returns null if there is no such object
   * @throws GitError `corrupt` if the object or a file that may hold it is damaged, `denied`, `busy`;
   *   `TooLargeToRead`
   */
  async read(oid: string, maxBytes: number): Promise<RawObject | null> {
    return await this.use(oid, maxBytes, detachedObject);
  }

  /**
   * Like `read`, but passes the object to `take` synchronously: its content may lie in reusable memory.
   * @throws as `read`, and errors of `take`
   */
  async use<T>(oid: string, maxBytes: number, take: (object: RawObject) => T): Promise<T | null> {
    const others = this.#shared.fairness.next();
    if (others !== undefined) await others;
    this.#shared.files.refuseClosed();
    const begun = this.#tryNow(oid, maxBytes);
    // Data in reusable memory is valid only until the next wait.
    const now = begun instanceof Promise ? await begun : begun;
    if (now !== null) return take(now);
    const taken = await this.#find(oid, async (source) => {
      const pending = source.read(maxBytes);
      const checked = this.#ifSound(oid, pending instanceof Promise ? await pending : pending);
      const object = checked instanceof Promise ? await checked : checked;
      if (object === null) throw mismatch(oid);
      try {
        const value = take(object);
        return () => value;
      } catch (error) {
        // Errors of `take` are not damage of the source.
        return () => {
          throw error;
        };
      }
    });
    return taken === null ? null : taken();
  }

  /**
   * Streams an object. The last chunk is sent only after the content is verified against the id.
   * @throws as `read`; the chunks throw GitError
   */
  async stream(oid: string): Promise<RawStream | null> {
    return await this.#find(oid, async (source) => {
      const { type, size, chunks } = await source.stream();
      return { type, size, chunks: this.#checked(oid, type, size, chunks) };
    });
  }

  /** Returns at most `max` distinct ids with a prefix of two or more digits. */
  async beginningWith(digits: string, max: number): Promise<string[]> {
    const ids = new Set<string>();
    for (let looks = 1; looks <= MAX_LOOKS; looks += 1) {
      const version = this.#version;
      for (const { packs, loose } of this.#folders) {
        for (const id of await packs.beginningWith(digits, max)) ids.add(id);
        for (const id of await loose.beginningWith(digits)) ids.add(id);
      }
      if (!(await this.#refresh(version))) break;
    }
    return [...ids].slice(0, max);
  }

  /** Closes its files. */
  close(): void {
    for (const { packs } of this.#folders) packs.close();
  }

  #open(folder: string): { packs: PackFolder; loose: LooseObjects } {
    return {
      packs: new PackFolder(folder, this.#shared, this.#hashBytes),
      loose: new LooseObjects(folder, this.#shared.files),
    };
  }

  /** Changes whenever a different state is found on disk. */
  get #version(): number {
    return this.#folders.reduce((sum, { packs }) => sum + packs.version, this.#folders.length);
  }

  /** Looks for changes in the folders. @returns whether anything has changed since version `before` */
  async #refresh(before: number): Promise<boolean> {
    for (let n = 0; n < this.#folders.length; n += 1) {
      const { packs } = this.#folders[n]!;
      await packs.refresh();
      for (const folder of packs.alternates) {
        if (this.#folders.length > MAX_FOLDERS) break;
        if (!this.#folders.some((one) => one.packs.folder === folder)) this.#folders.push(this.#open(folder));
      }
    }
    return this.#version !== before;
  }

  /** Returns the result of the first source with a valid copy of an object. */
  async #find<T>(oid: string, take: (source: Source) => Promise<T>): Promise<T | null> {
    const others = this.#shared.fairness.next();
    if (others !== undefined) await others;
    this.#shared.files.refuseClosed();
    const id = Buffer.from(oid, 'hex');
    for (let looks = 1; looks <= MAX_LOOKS; looks += 1) {
      const damage: GitError[] = [];
      const version = this.#version;
      for (const { packs, loose } of this.#folders) {
        const bad = new Set<Pack>();
        for (let place = await packs.find(id, damage, bad); place !== null; place = await packs.find(id, damage, bad)) {
          const { pack, offset } = place;
          const source = { read: (max: number) => pack.read(offset, max), stream: () => pack.stream(offset) };
          const result = await tried(() => take(source), damage, pack);
          if (result !== undefined) return result;
          bad.add(pack);
        }
        if (!loose.has(oid)) continue;
        const source = { read: (max: number) => loose.read(oid, max), stream: () => loose.stream(oid) };
        const taken = await tried(() => take(source), damage);
        if (taken !== undefined) return taken;
      }
      if (await this.#refresh(version)) continue;
      const [first] = damage;
      if (first === undefined) return null;
      // The object may have been repaired meanwhile.
      if (looks > 1) throw first;
    }
    throw new GitError('busy', `packs are removed faster than object ${oid} can be looked up`);
  }

  /**
   * Reads a valid object from its usual place with few allocations.
   * @returns null if it must be searched; its data is in memory after any wait
   */
  #tryNow(oid: string, maxBytes: number): RawObject | Promise<RawObject | null> | null {
    try {
      const object = this.#folders[0]!.packs.trySync(Buffer.from(oid, 'hex'), maxBytes);
      if (object === null) return null;
      if (object instanceof PendingRead) return object.end.then(none, none);
      return object instanceof Promise
        ? object.then((one) => this.#ifSound(oid, one), none)
        : this.#ifSound(oid, object);
    } catch {
      // Another source may have a valid copy.
      return null;
    }
  }

  /** Returns an object whose content, if included, matches the id; otherwise null. */
  #ifSound(oid: string, object: RawObject): RawObject | Promise<RawObject | null> | null {
    const { type, data } = object;
    if (data === null || this.#shared.readsVersions) return object;
    if (data.length <= SLICE) return this.#idOf(type, data) === oid ? object : null;
    // Other reads may reuse the memory meanwhile.
    const lasting = detachedObject(object);
    return this.#idOfLarge(type, lasting.data!).then((id) => (id === oid ? lasting : null));
  }

  #idOf(type: string, data: Buffer): string {
    if (data.length > hashed.length - LONGEST_HEADER) return this.#hash(type, data.length).update(data).digest('hex');
    const start = hashed.write(`${type} ${data.length}\0`, 'latin1');
    hashed.set(data, start);
    return hash(this.#hashBytes === 20 ? 'sha1' : 'sha256', hashed.subarray(0, start + data.length), 'hex');
  }

  async #idOfLarge(type: string, data: Buffer): Promise<string> {
    const sum = this.#hash(type, data.length);
    for (let at = 0; at < data.length; at += SLICE) {
      if (at > 0) await nextTurn();
      sum.update(data.subarray(at, at + SLICE));
    }
    return sum.digest('hex');
  }

  #hash(type: string, size: number) {
    return createHash(this.#hashBytes === 20 ? 'sha1' : 'sha256').update(`${type} ${size}\0`);
  }

  async *#checked(oid: string, type: string, size: number, chunks: RawStream['chunks']): AsyncGenerator<Buffer> {
    const sum = this.#hash(type, size);
    let last: Buffer | undefined;
    for await (const chunk of chunks) {
      if (last !== undefined) yield last;
      sum.update(chunk);
      last = chunk;
    }
    if (sum.digest('hex') !== oid) throw mismatch(oid);
    if (last !== undefined) yield last;
  }
}

const none = () => null;
const mismatch = (oid: string) => new GitError('corrupt', `hash mismatch ${oid}`);

/** Returns the result of `take`; undefined if the file is missing or damaged, with the damage recorded. */
async function tried<T>(take: () => Promise<T>, damage: GitError[], pack?: Pack): Promise<T | undefined> {
  try {
    return await take();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!(error instanceof GitError) || error.code !== 'corrupt') throw error;
    damage.push(error);
    pack?.invalidate();
    return undefined;
  }
}
