import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMissing } from '../durable.ts';
import { GitError } from '../git.errors.ts';
import { LooseObjects } from './loose-objects.ts';
import type { Pack } from './pack.ts';
import { PendingRead } from './pack-contents.ts';
import { PackFolder } from './pack-folder.ts';
import { detachedObject, type PackResources, type RawObject, type RawStream } from './raw-object.ts';

/** Looks for what moves from file to file; each finds something else on disk than the one before. */
const MAX_LOOKS = 20;
/** Folders of alternates that are followed. */
const MAX_FOLDERS = 100;
/** Hashed at a time. */
const SLICE = 512 * 1024;
/** An object up to here is hashed in one piece with its header, which costs a third less than setting up a sum. */
const hashed = Buffer.allocUnsafeSlow(64 * 1024);
const LONGEST_HEADER = 64;

interface Source {
  read(maxBytes: number): RawObject | Promise<RawObject>;
  stream(): Promise<RawStream>;
}

/** The objects of one repository, alternates included, read from its files. */
export class ObjectStore {
  readonly #shared: PackResources;
  readonly #hashBytes: number;
  /** Its own folder first. */
  #folders: { packs: PackFolder; loose: LooseObjects }[];

  /**
   * @param folder the `objects` folder; nothing is read yet
   * @param hashBytes of its object ids: 20 or 32
   */
  constructor(folder: string, shared: PackResources, hashBytes: number) {
    this.#shared = shared;
    this.#hashBytes = hashBytes;
    this.#folders = [this.#open(folder)];
  }

  /** Whether a text of hexadecimal digits is a complete id here. */
  isComplete(digits: string): boolean {
    return digits.length === this.#hashBytes * 2;
  }

  /**
   * An object whose content, where it is given, has this id for sure; null where there is none.
   * @param oid complete
   * @param maxBytes a larger one comes without its content; below 0 only type and size are read
   * @throws GitError `corrupt` where it, or what may hold it, is damaged, `denied`, `busy`; `Unwieldy`
   */
  async read(oid: string, maxBytes: number): Promise<RawObject | null> {
    return await this.use(oid, maxBytes, detachedObject);
  }

  /**
   * What `take` makes of the same object at once. Its content may lie in memory that is used again.
   * @throws as `read`, and what `take` throws
   */
  async use<T>(oid: string, maxBytes: number, take: (object: RawObject) => T): Promise<T | null> {
    const others = this.#shared.fairness.next();
    if (others !== undefined) await others;
    this.#shared.files.refuseClosed();
    const begun = this.#tryNow(oid, maxBytes);
    // What is there at once lasts no longer than to the next wait.
    const now = begun instanceof Promise ? await begun : begun;
    if (now !== null) return take(now);
    const taken = await this.#find(oid, async (source) => {
      const found = source.read(maxBytes);
      const checked = this.#ifSound(oid, found instanceof Promise ? await found : found);
      const object = checked instanceof Promise ? await checked : checked;
      if (object === null) throw mismatch(oid);
      try {
        const value = take(object);
        return () => value;
      } catch (error) {
        // Of what the object says, not of what holds it.
        return () => {
          throw error;
        };
      }
    });
    return taken === null ? null : taken();
  }

  /**
   * An object with its content in pieces, of which the last one comes only when all of them have this id.
   * @throws as `read`; the pieces GitError `corrupt`
   */
  async stream(oid: string): Promise<RawStream | null> {
    return await this.#find(oid, async (source) => {
      const { type, size, chunks } = await source.stream();
      return { type, size, chunks: this.#checked(oid, type, size, chunks) };
    });
  }

  /** At most `max` ids, each once, that begin with these digits, two or more. */
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

  /** Another number whenever something else was found on disk. */
  get #version(): number {
    return this.#folders.reduce((sum, { packs }) => sum + packs.version, this.#folders.length);
  }

  /** Looks at what has come to the folders. @returns whether there is anything else than at an earlier version */
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

  /** What the first place that holds a sound copy of an object gives. */
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
          const source = { read: (most: number) => pack.read(offset, most), stream: () => pack.stream(offset) };
          const found = await tried(() => take(source), damage, pack);
          if (found !== undefined) return found;
          bad.add(pack);
        }
        if (!loose.has(oid)) continue;
        const source = { read: (most: number) => loose.read(oid, most), stream: () => loose.stream(oid) };
        const found = await tried(() => take(source), damage);
        if (found !== undefined) return found;
      }
      if (await this.#refresh(version)) continue;
      const [first] = damage;
      if (first === undefined) return null;
      // It may have been mended since it was read.
      if (looks > 1) throw first;
    }
    throw new GitError('busy', `packs vanish faster than object ${oid} can be looked for`);
  }

  /**
   * A sound object where it mostly is: of looking for it little is left behind to be collected.
   * @returns null where it has to be looked for; what had to be waited for is in memory then
   */
  #tryNow(oid: string, maxBytes: number): RawObject | Promise<RawObject | null> | null {
    try {
      const found = this.#folders[0]!.packs.trySync(Buffer.from(oid, 'hex'), maxBytes);
      if (found === null) return null;
      if (found instanceof PendingRead) return found.end.then(none, none);
      return found instanceof Promise ? found.then((one) => this.#ifSound(oid, one), none) : this.#ifSound(oid, found);
    } catch {
      // There may be a sound one elsewhere.
      return null;
    }
  }

  /** An object whose content, where it is given, has this id; null for another. */
  #ifSound(oid: string, object: RawObject): RawObject | Promise<RawObject | null> | null {
    const { type, data } = object;
    if (data === null || this.#shared.readsVersions) return object;
    if (data.length <= SLICE) return this.#idOf(type, data) === oid ? object : null;
    // Others read meanwhile.
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

/** What `take` gives; undefined, with the damage noted, where the file has gone or is damaged. */
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
