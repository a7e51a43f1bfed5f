import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { GitError } from '../../common/index.ts';
import { type FileStamp, isMissing, isUnchanged, stampOf } from '../../files/index.ts';
import { BlockFile } from './block-file.ts';
import { refuse } from './file-handle.ts';
import { MultiPackIndex } from './multi-pack-index.ts';
import { Pack } from './pack.ts';
import { PendingRead } from './pack-contents.ts';
import type { PackResources } from './raw-object.ts';

const MULTI = 'multi-pack-index';

const NONE: ReadonlySet<string> = new Set();

/** Position of an object. */
interface Place {
  pack: Pack;
  offset: number;
}

/** The packs of one `objects` folder as of the last refresh. */
export class PackFolder {
  readonly folder: string;
  readonly #shared: PackResources;
  readonly #hashBytes: number;
  readonly #multiFile: BlockFile;
  /** Most recently used first. */
  #packs: readonly Pack[] = [];
  #byStem: ReadonlyMap<string, Pack> = new Map();
  #multi: { serial: number; index: MultiPackIndex } | undefined;
  #hasMulti = false;
  #seen: { stamps: (FileStamp | undefined)[]; text: string } | undefined;
  #looking: Promise<void> | undefined;
  #nextLook: Promise<void> | undefined;
  #version = 0;
  #alternates: string[] = [];

  /** @param folder the `objects` folder */
  constructor(folder: string, shared: PackResources, hashBytes: number) {
    this.folder = folder;
    this.#shared = shared;
    this.#hashBytes = hashBytes;
    this.#multiFile = new BlockFile(join(folder, 'pack', MULTI), shared.files);
  }

  /** The alternates of this `objects` folder. */
  get alternates(): readonly string[] {
    return this.#alternates;
  }

  /**
   * Finds a pack that holds an object.
   * @param damage receives errors of packs that may hold it
   * @param not packs without a valid copy
   * @returns null if no other pack has it
   */
  async find(id: Buffer, damage: GitError[], not: ReadonlySet<Pack>): Promise<Place | null> {
    let multi = this.#hasMulti ? await this.#multiIndex(damage) : null;
    let location = multi === null ? null : await this.#inMulti(multi, id, damage);
    // The file may have been reopened meanwhile: an answer must come from a single file.
    while (multi !== null && this.#multi?.serial !== this.#multiFile.serial) {
      multi = await this.#multiIndex(damage);
      location = multi === null ? null : await this.#inMulti(multi, id, damage);
    }
    if (location !== null && !not.has(location.pack)) return location;
    const covered = location === null && multi !== null ? multi.packs : NONE;
    for (const pack of covered.size === 0 ? this.#packs : this.#packs.filter(({ stem }) => !covered.has(stem))) {
      if (not.has(pack)) continue;
      const offset = await this.#inPack(pack, id, damage);
      if (offset < 0) continue;
      this.#prefer(pack);
      return { pack, offset };
    }
    return null;
  }

  /**
   * Reads an object from the last used pack or from those of the multi-pack index, without waiting for the disk.
   * @returns null if the object must be searched; else as `Pack.trySync`
   * @throws as `Pack.read`
   */
  trySync(id: Buffer, maxBytes: number): ReturnType<Pack['trySync']> {
    if (!this.#hasMulti) return this.#packs[0]?.trySync(id, maxBytes) ?? null;
    if (!this.#multiFile.use() || this.#multi?.serial !== this.#multiFile.serial) return null;
    const { index } = this.#multi;
    const place = index.ids.find(id);
    if (typeof place !== 'number') return new PendingRead(place);
    const position = place < 0 ? null : index.positionAt(place);
    if (position instanceof Promise) return new PendingRead(position);
    return position === null ? null : (this.#byStem.get(position.pack)?.trySync(position.offset, maxBytes) ?? null);
  }

  /** At most `max` ids of each pack with a prefix. */
  async beginningWith(digits: string, max: number): Promise<string[]> {
    const lists: string[][] = [];
    for (const pack of this.#packs) {
      await this.#shared.fairness.next();
      try {
        lists.push(await pack.beginningWith(digits, max));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return lists.flat();
  }

  /** Changes whenever a refresh has found a difference. */
  get version(): number {
    return this.#version;
  }

  /** Refreshes the folder if it may have changed. The result covers all changes made before this call. */
  refresh(): Promise<void> {
    if (this.#looking !== undefined) {
      // A refresh in progress may have missed recent changes.
      const again = () => {
        this.#nextLook = undefined;
        return this.refresh();
      };
      this.#nextLook ??= this.#looking.then(again, again);
      return this.#nextLook;
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Closes all of its files. */
  close(): void {
    for (const pack of this.#packs) pack.invalidate();
    this.#multiFile.invalidate();
  }

  async #multiIndex(damage: GitError[]): Promise<MultiPackIndex | null> {
    try {
      if (!this.#multiFile.use()) await this.#multiFile.open();
      while (this.#multi?.serial !== this.#multiFile.serial) {
        const { serial } = this.#multiFile;
        const index = await MultiPackIndex.open(this.#multiFile, this.#hashBytes);
        if (serial === this.#multiFile.serial) this.#multi = { serial, index };
      }
      return this.#multi.index;
    } catch (error) {
      note(error, damage);
      return null;
    }
  }

  async #inMulti(multi: MultiPackIndex, id: Buffer, damage: GitError[]): Promise<Place | null> {
    try {
      const place = await multi.ids.find(id);
      if (place < 0) return null;
      const { pack: stem, offset } = await multi.positionAt(place);
      const pack = this.#byStem.get(stem);
      return pack === undefined ? null : { pack, offset };
    } catch (error) {
      note(error, damage);
      this.#multiFile.invalidate();
      return null;
    }
  }

  async #inPack(pack: Pack, id: Buffer, damage: GitError[]): Promise<number> {
    try {
      return await pack.find(id);
    } catch (error) {
      note(error, damage);
      pack.invalidate();
      return -1;
    }
  }

  #prefer(pack: Pack): void {
    // Concurrent searches continue with their own list.
    if (this.#packs[0] !== pack) this.#packs = [pack, ...this.#packs.filter((one) => one !== pack)];
  }

  async #look(): Promise<void> {
    const paths = [join(this.folder, 'pack'), join(this.folder, 'info', 'alternates')];
    const stats = paths.map((path) => statusOf(path));
    const same = (n: number) => {
      const stamp = this.#seen?.stamps[n];
      return stamp === undefined ? stats[n] === undefined : stats[n] !== undefined && isUnchanged(stamp, stats[n]);
    };
    if (this.#seen !== undefined && paths.every((_, n) => same(n))) return;
    const stamps = stats.map((one) => (one === undefined ? undefined : stampOf(one)));
    const names = await namesIn(paths[0]!);
    const alternates = alternatesOf(paths[1]!, this.folder);
    const stems = names
      .filter((name) => name.endsWith('.idx'))
      .map((name) => name.slice(0, -'.idx'.length))
      .filter((stem) => names.includes(`${stem}.pack`))
      .sort();
    const multi = names.includes(MULTI) ? statusOf(join(paths[0]!, MULTI)) : undefined;
    const text = [multi?.ino, multi?.size, multi?.mtimeNs, ...alternates, ...stems].join('\n');
    const changed = this.#seen?.text !== text;
    this.#seen = { stamps, text };
    if (!changed) return;
    this.#take(stems, multi !== undefined, alternates);
    this.#version += 1;
  }

  #take(stems: readonly string[], hasMulti: boolean, alternates: string[]): void {
    const currentStems = new Set(stems);
    for (const pack of this.#packs) if (!currentStems.has(pack.stem)) pack.invalidate();
    const fresh = stems.filter((stem) => !this.#byStem.has(stem));
    const open = (stem: string) => new Pack(join(this.folder, 'pack'), stem, this.#shared, this.#hashBytes);
    this.#packs = [...fresh.map(open), ...this.#packs.filter((pack) => currentStems.has(pack.stem))];
    this.#byStem = new Map(this.#packs.map((pack) => [pack.stem, pack]));
    this.#hasMulti = hasMulti;
    this.#multiFile.close();
    this.#alternates = alternates;
  }
}

function note(error: unknown, damage: GitError[]): void {
  if (isMissing(error)) return;
  if (!(error instanceof GitError) || error.code !== 'corrupt') throw error;
  damage.push(error);
}

function statusOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    return refuse(error, path);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    return refuse(error, folder);
  }
}

function alternatesOf(path: string, folder: string): string[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    const named = lines.filter((line) => line !== '' && !line.startsWith('#'));
    return named.map((line) => (isAbsolute(line) ? line : resolve(folder, line)).replace(/\/+$/, ''));
  } catch (error) {
    if (isMissing(error)) return [];
    return refuse(error, path);
  }
}
