import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { SERVER } from '../../core/fair-slots.ts';
import { inScope } from '../../core/request-scope.ts';
import { addBeforeRefs } from '../commit-graph/index.ts';
import { searchPointers } from './pushed-objects.ts';

/** Interval in milliseconds at which a quarantine is searched for. */
const LOOK_MS = 250;
/**
 * Minimum size in bytes of a pack index, for some 15,000 objects. Smaller packs are checked as fast as they are
 * indexed.
 */
const LARGE_BYTES = 512 * 1024;
const QUARANTINE = /^(?:tmp_objdir-)?incoming-/;
const CHAIN = 'info/commit-graphs/commit-graph-chain';
const WHOLE = /^(?:commit-graph-chain|graph-[0-9a-f]+\.(?:graph|paths|stats))$/;
/**
 * Quarantines that are being indexed or were indexed, with the push that found them: any push may find that of another
 * one.
 */
const quarantines = new Map<string, QuarantineIndexer>();

/**
 * Writes the commit-graph and the path index of a first push, and searches it for LFS pointers, while git checks it:
 * the connectivity check uses one processor and takes longer. Completed files are in the quarantine and move with the
 * objects; the rest is written after the push.
 */
export class QuarantineIndexer {
  readonly #objects: string;
  readonly #dir: string;
  readonly #beforeMove = new AbortController();
  readonly #refused = new AbortController();
  #forgetPointers: (() => void) | undefined;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #quarantine: string | null = null;
  #graph: Promise<void> = Promise.resolve();
  #whole: Promise<void> | undefined;
  /** Quarantine of this push, once it is known. */
  #own: string | null = null;

  /**
   * Starts to search for a large pack in quarantine.
   * @param dir of the repository
   * @param largeBytes minimum size of the index of such a pack
   */
  constructor(dir: string, largeBytes: number = LARGE_BYTES) {
    this.#dir = dir;
    this.#objects = join(dir, 'objects');
    if (this.#hasGraph()) return;
    this.#timer = setInterval(() => {
      this.#look(largeBytes).catch(() => {});
    }, LOOK_MS).unref();
  }

  /** Must be called if the push is refused. */
  cancel(): void {
    this.#refused.abort();
  }

  /**
   * Must be called before git moves the objects: afterwards the graph is complete or removed, and the write of the path
   * index continues.
   * @param own quarantine of the push; if another push indexes it, waits for that as well
   */
  async settle(own?: string): Promise<void> {
    clearInterval(this.#timer);
    this.#beforeMove.abort();
    let other: QuarantineIndexer | undefined;
    if (own !== undefined) {
      this.#own = join(this.#objects, basename(own));
      other = quarantines.get(this.#own);
      quarantines.set(this.#own, this);
    }
    this.#whole ??= this.#makeWhole();
    await Promise.all([this.#whole, other === this ? undefined : other?.settle()]);
  }

  /** Must be called after git has moved or removed the objects. */
  close(): void {
    this.#isClosed = true;
    this.#forgetPointers?.();
    for (const quarantine of [this.#own, this.#quarantine]) {
      if (quarantine !== null && quarantines.get(quarantine) === this) quarantines.delete(quarantine);
    }
  }

  async #makeWhole(): Promise<void> {
    await this.#graph;
    const quarantine = this.#quarantine;
    if (quarantine === null) return;
    // Another push has written a graph meanwhile: git would find two.
    if (this.#hasGraph() || !existsSync(join(quarantine, CHAIN))) {
      await rm(join(quarantine, 'info'), { recursive: true, force: true });
      return;
    }
    const folder = join(quarantine, dirname(CHAIN));
    const broken = (await readdir(folder)).filter((name) => !WHOLE.test(name));
    await Promise.all(broken.map((name) => rm(join(folder, name), { force: true })));
  }

  #hasGraph(): boolean {
    return ['info/commit-graph', CHAIN].some((name) => existsSync(join(this.#objects, name)));
  }

  async #look(largeBytes: number): Promise<void> {
    for (const name of (await readdir(this.#objects)).filter((each) => QUARANTINE.test(each))) {
      const quarantine = join(this.#objects, name);
      const packs = await largePacks(quarantine, largeBytes);
      if (packs.length === 0 || this.#beforeMove.signal.aborted || this.#quarantine !== null) continue;
      if (quarantines.has(quarantine)) continue;
      quarantines.set(quarantine, this);
      this.#quarantine = quarantine;
      clearInterval(this.#timer);
      const forget = await searchPointers({ dir: this.#dir }, quarantine);
      if (this.#isClosed) forget();
      else this.#forgetPointers = forget;
      inScope({ caller: SERVER }, () => void this.#write(quarantine, packs));
    }
  }

  async #write(quarantine: string, packs: readonly string[]): Promise<void> {
    const graph = Promise.withResolvers<void>();
    const onStart = () => {
      this.#graph = graph.promise;
    };
    const { signal: beforeMove } = this.#beforeMove;
    const { signal } = this.#refused;
    // A repository with nothing but the quarantine, for git and for readers of graphs.
    const quarantined = join(tmpdir(), `stithy-index-${randomUUID()}`);
    try {
      await mkdir(join(quarantined, 'refs'), { recursive: true });
      await writeFile(join(quarantined, 'HEAD'), 'ref: refs/heads/main\n');
      await symlink(quarantine, join(quarantined, 'objects'));
      await addBeforeRefs(this.#dir, { quarantined, packs, beforeMove, signal, onStart, onGraph: graph.resolve });
    } catch {
      // Written after the push instead, as if there were nothing to index early.
    } finally {
      graph.resolve();
      await rm(quarantined, { recursive: true, force: true });
    }
  }
}

/** Names of the indexes of large complete packs. */
async function largePacks(quarantine: string, largeBytes: number): Promise<string[]> {
  const folder = join(quarantine, 'pack');
  const names = await readdir(folder).catch(() => []);
  const large: string[] = [];
  for (const name of names.filter((each) => each.startsWith('pack-') && each.endsWith('.idx'))) {
    const { size } = await stat(join(folder, name));
    if (size >= largeBytes) large.push(name);
  }
  return large;
}
