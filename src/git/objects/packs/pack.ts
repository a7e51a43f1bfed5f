import { join } from 'node:path';
import { GitError, type ObjectType } from '../../common/index.ts';
import { BlockFile } from './block-file.ts';
import { inflateChunks } from './inflate-chunks.ts';
import { type Chain, MAX_WHOLE_BYTES, PackContents, PendingRead } from './pack-contents.ts';
import { type Entry, entryAt, LONGEST_HEADER, REF_DELTA } from './pack-entry.ts';
import { PackIndex } from './pack-index.ts';
import { detachedObject, type PackResources, type RawObject, type RawStream, TooLargeToRead } from './raw-object.ts';

interface OpenIndex {
  /** Serial of the file that it was read from. */
  serial: number;
  ready: PackIndex | undefined;
  opened: Promise<PackIndex>;
}

const TYPES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];
/** The longest delta chain that git creates. */
const MAX_DEPTH = 4_096;
const MANY_WAITS = 16;

/** A pack with its index. */
export class Pack {
  /** Name without extension. */
  readonly stem: string;
  readonly #hashBytes: number;
  readonly #file: BlockFile;
  readonly #contents: PackContents;
  readonly #indexFile: BlockFile;
  #index: OpenIndex | undefined;
  /** Serial of the content that was verified against the index. */
  #checked = 0;

  /** @param folder the `pack` folder; `stem` is the name without extension */
  constructor(folder: string, stem: string, shared: PackResources, hashBytes: number) {
    this.stem = stem;
    this.#hashBytes = hashBytes;
    this.#file = new BlockFile(join(folder, `${stem}.pack`), shared.files);
    this.#contents = new PackContents(this.#file, shared, hashBytes);
    this.#indexFile = new BlockFile(join(folder, `${stem}.idx`), shared.files);
  }

  /** Offset of an object in this pack; -1 if it is not there. May wait for the disk. */
  find(id: Buffer): number | Promise<number> {
    const isOpen = this.#indexFile.use() && this.#index?.serial === this.#indexFile.serial;
    const index = isOpen ? this.#index?.ready : undefined;
    if (index === undefined) return this.#openIndex().then(() => this.find(id));
    const place = index.ids.find(id);
    if (typeof place !== 'number') return place.then((position) => (position < 0 ? -1 : index.offsetAt(position)));
    return place < 0 ? -1 : index.offsetAt(place);
  }

  /** At most `max` of its ids with a prefix. */
  async beginningWith(digits: string, max: number): Promise<string[]> {
    return await (await this.#openIndex()).ids.beginningWith(digits, max);
  }

  /**
   * Reads the object at an offset, synchronously if all required data is in memory.
   * @param maxBytes larger objects come without their content; below 0 only type and size are read
   * @returns a synchronous result may lie in reusable memory: see `detachedObject`
   * @throws GitError `corrupt`; `TooLargeToRead`; the file system's error if the pack is missing
   */
  read(offset: number, maxBytes: number): RawObject | Promise<RawObject> {
    const object = this.#tryRead(offset, maxBytes);
    return object instanceof PendingRead ? this.#readLater(object, offset, maxBytes) : object;
  }

  /**
   * Reads the object with an id or at an offset without waiting for the disk.
   * @returns null if the pack has no such object; else as `read`, or a `PendingRead` to wait for before the next
   *   attempt
   * @throws as `read`
   */
  trySync(index: number | Buffer, maxBytes: number): RawObject | Promise<RawObject> | PendingRead | null {
    const offset = typeof index === 'number' ? index : this.find(index);
    if (typeof offset !== 'number') return new PendingRead(offset);
    return offset < 0 ? null : this.#tryRead(offset, maxBytes);
  }

  /**
   * Streams the content at an offset.
   * @throws as `read`
   */
  async stream(offset: number): Promise<RawStream> {
    const object = this.read(offset, MAX_WHOLE_BYTES);
    const { type, size, data } = object instanceof Promise ? await object : detachedObject(object);
    if (data !== null) return { type, size, chunks: [data] };
    const entry = this.#entry(await this.#bytes(offset, LONGEST_HEADER), offset);
    if (TYPES[entry.kind] === undefined) throw new TooLargeToRead(`a delta of ${size} bytes`);
    return { type, size, chunks: inflateChunks(this.#file, entry.dataAt, size) };
  }

  /** Closes its files and discards what was read. */
  invalidate(): void {
    this.#index = undefined;
    this.#checked = 0;
    this.#file.invalidate();
    this.#indexFile.invalidate();
  }

  async #openIndex(): Promise<PackIndex> {
    await this.#indexFile.open();
    const { serial } = this.#indexFile;
    if (this.#index?.serial !== serial) {
      const opened = PackIndex.open(this.#indexFile, this.#hashBytes);
      const index: OpenIndex = { serial, ready: undefined, opened };
      this.#index = index;
      opened.then(
        (ready) => {
          index.ready = ready;
        },
        () => {
          this.#index = undefined;
        },
      );
    }
    return await this.#index.opened;
  }

  /** Opens the pack if necessary and verifies that it matches the index. */
  async #mustMatch(): Promise<void> {
    await this.#file.open();
    const { serial, size, path } = this.#file;
    if (this.#checked === serial) return;
    const { ids, packSum } = await this.#openIndex();
    const bad = (what: string) => new GitError('corrupt', `packfile ${path} ${what}`);
    if (size < 12 + this.#hashBytes) throw bad('is far too short to be a packfile');
    const start = await this.#bytes(0, 12);
    const version = start.readUInt32BE(4);
    if (start.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3)) throw bad('is not a packfile');
    if (start.readUInt32BE(8) !== ids.count) throw bad('claims a different number of objects');
    if (!packSum.equals(await this.#bytes(size - this.#hashBytes, this.#hashBytes))) throw bad('does not match index');
    this.#checked = serial;
    this.#contents.invalidate();
  }

  /** Copies bytes of the pack. */
  async #bytes(offset: number, length: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#file.peek(offset, length);
      if (bytes !== null) return bytes;
      await this.#file.load(offset, length);
    }
  }

  async #readLater(first: PendingRead, offset: number, maxBytes: number): Promise<RawObject> {
    let release: (() => void) | undefined;
    try {
      for (let wait = first, waits = 1; ; waits += 1) {
        await wait.end;
        const object = this.#tryRead(offset, maxBytes);
        if (!(object instanceof PendingRead)) return object instanceof Promise ? await object : detachedObject(object);
        wait = object;
        // Opening other files may have closed this one repeatedly.
        if (waits === MANY_WAITS) release = this.#file.hold();
      }
    } finally {
      release?.();
    }
  }

  #tryRead(offset: number, maxBytes: number): RawObject | Promise<RawObject> | PendingRead {
    if (!this.#file.use() || this.#checked !== this.#file.serial) return new PendingRead(this.#mustMatch());
    const chain = this.#chain(offset);
    return chain instanceof PendingRead ? chain : this.#contents.read(chain, maxBytes);
  }

  #chain(offset: number): Chain | PendingRead {
    const file = this.#file;
    const deltas: Entry[] = [];
    for (let at = offset; ; ) {
      const base = this.#contents.cached(at);
      if (base !== undefined) return { type: base.type, deltas, root: base.data };
      if (!file.tryRead(at, LONGEST_HEADER)) return new PendingRead(file.load(at, LONGEST_HEADER));
      const entry = this.#entry(file.bytes, at, file.at, file.end);
      const type = TYPES[entry.kind];
      if (type !== undefined) return { type, deltas, root: entry };
      deltas.push(entry);
      if (deltas.length > MAX_DEPTH) throw new GitError('corrupt', `cyclic deltas in ${file.path}`);
      if (entry.kind === REF_DELTA) {
        const end = file.at + entry.dataAt - at;
        const baseOffset = this.find(Buffer.from(file.bytes.subarray(end - this.#hashBytes, end)));
        if (typeof baseOffset !== 'number') return new PendingRead(baseOffset);
        if (baseOffset < 0) throw new GitError('corrupt', `broken delta at ${at} of ${file.path}: no base`);
        entry.base = baseOffset;
      }
      at = entry.base;
    }
  }

  /** @param bytes contain the start of the entry between `from` and `to` */
  #entry(bytes: Buffer, offset: number, from = 0, to = bytes.length): Entry {
    const entry = entryAt(bytes, from, to, offset, this.#hashBytes);
    const isInside = offset >= 12 && entry !== null && entry.dataAt < this.#file.size - this.#hashBytes;
    if (!isInside) throw new GitError('corrupt', `bad pack entry at ${offset} of ${this.#file.path}`);
    return entry;
  }
}
