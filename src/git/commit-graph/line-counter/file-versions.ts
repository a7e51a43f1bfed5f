import {
  countInterned,
  DiffBudget,
  type DiffStats,
  type InternedContent,
  InternedLines,
} from '../../line-diff/index.ts';
import type { ObjectStore } from '../../objects/index.ts';
import { SUBMODULE, type Version } from './path-versions.ts';

/** Larger contents are left to git. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Maximum number of cached lines over all versions. */
const LINE_CACHE_SIZE = 512 * 1024;
/** Maximum number of known versions of one file, and of counted pairs: at most some 10 MB for a thread. */
const MAX_VERSIONS = 20_000;
const MAX_COUNTED = 20_000;
/** Maximum number of steps for comparing two versions: some 50 milliseconds. */
const MAX_STEPS = 20_000_000;
/** Range in which git looks for a NUL byte, which makes a file binary. */
const BINARY_BYTES = 8_000;
const LEAST_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);
const NO_LINES = new Int32Array(0);
const NOTHING: DiffStats = Object.freeze({ additions: 0, deletions: 0 });

/** Lines of a version; null for a binary file. */
type Known = Int32Array | null;

/**
 * Counts the lines that differ between versions, for one file after another. Each version is read once, as far as
 * memory allows.
 */
export class FileVersions {
  readonly #objects: ObjectStore;
  readonly #interned = new InternedLines();
  readonly #lineCache = new Int32Array(LINE_CACHE_SIZE);
  #lineCacheEnd = 0;
  /** Number of times that the cache was cleared for lack of space. */
  #forgotten = 0;
  readonly #known = new Map<Version, Known>();
  readonly #counted = new Map<string, DiffStats | null>();
  /** The content read last, in reusable memory. */
  #last: InternedContent | null = null;
  #memory = Buffer.allocUnsafeSlow(LEAST_BYTES);
  #otherMemory = Buffer.allocUnsafeSlow(LEAST_BYTES);

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Clears the cache before the next file. */
  begin(): void {
    this.#counted.clear();
    this.#forget();
  }

  #forget(): void {
    this.#known.clear();
    this.#interned.clear();
    this.#lineCacheEnd = 0;
    this.#last = null;
    this.#forgotten += 1;
  }

  /**
   * Number of lines that `git diff` shows as added and removed between two versions.
   * @returns null if git must be asked: one version is large, missing or damaged, or too many lines differ
   * @throws file system errors
   */
  async count(before: Version, after: Version): Promise<DiffStats | null> {
    const key = `${before} ${after}`;
    let stats = this.#counted.get(key);
    if (stats === undefined) {
      stats = await this.#compare(before, after);
      if (this.#counted.size >= MAX_COUNTED) this.#counted.clear();
      this.#counted.set(key, stats);
    }
    return stats;
  }

  async #compare(before: Version, after: Version): Promise<DiffStats | null> {
    let one = await this.#lines(before);
    const forgotten = this.#forgotten;
    const other = await this.#lines(after);
    if (this.#forgotten !== forgotten) one = await this.#lines(before);
    // There is not enough space for both.
    if (one === undefined || other === undefined || this.#forgotten > forgotten + 1) return null;
    if (one === null || other === null) return NOTHING;
    return countInterned(one, other, this.#interned.size, new DiffBudget(MAX_STEPS));
  }

  /** @returns undefined if it cannot be read */
  async #lines(version: Version): Promise<Known | undefined> {
    if (version === '') return NO_LINES;
    const known = this.#known.get(version);
    if (known !== undefined) return known;
    if (version.startsWith(SUBMODULE)) {
      // Git compares submodules in this form.
      return this.#read(version, Buffer.from(`Subproject commit ${version.slice(SUBMODULE.length)}\n`));
    }
    const content = await this.#objects.use(version, MAX_BYTES, ({ type, data }) =>
      type === 'blob' && data !== null ? { lines: this.#read(version, data) } : null,
    );
    return content?.lines;
  }

  #read(version: Version, content: Buffer): Known | undefined {
    if (this.#known.size >= MAX_VERSIONS) this.#forget();
    if (content.subarray(0, BINARY_BYTES).includes(0)) {
      this.#known.set(version, null);
      return null;
    }
    let lines = this.#interned.read(content, this.#last);
    if (lines === null || this.#lineCacheEnd + lines.length > LINE_CACHE_SIZE) {
      this.#forget();
      lines = this.#interned.read(content, null);
      if (lines === null || lines.length > LINE_CACHE_SIZE) return undefined;
    }
    const cachedLines = this.#lineCache.subarray(this.#lineCacheEnd, this.#lineCacheEnd + lines.length);
    cachedLines.set(lines);
    this.#lineCacheEnd += lines.length;
    this.#known.set(version, cachedLines);
    this.#last = { content: this.#copied(content), lines: cachedLines };
    return cachedLines;
  }

  #copied(content: Buffer): Buffer {
    const memory =
      this.#otherMemory.length < content.length ? Buffer.allocUnsafeSlow(2 * content.length) : this.#otherMemory;
    this.#otherMemory = this.#memory;
    this.#memory = memory;
    return content.length === 0 ? EMPTY : memory.subarray(0, content.copy(memory));
  }
}
