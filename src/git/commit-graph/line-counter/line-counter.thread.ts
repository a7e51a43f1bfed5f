import type { MessagePort } from 'node:worker_threads';
import { GitError } from '../../common/index.ts';
import { createPackResources, ObjectFolder, TooLargeToRead } from '../../objects/index.ts';
import { PathIndex } from '../path-index.ts';
import { changeBytes } from '../path-index-format.ts';
import { FileVersions } from './file-versions.ts';
import type { FirstParentOrder } from './first-parent-order.ts';
import { type LayerChanges, PathVersions, type Version } from './path-versions.ts';
import { ADDED, addLines, LEFT_TO_GIT, REMOVED, REQUESTED, type Tally } from './tally.ts';

const MiB = 1024 * 1024;
/** Number of table slots that a thread takes at a time. */
const SLOTS = 16;

/** A layer in the start data of a thread. */
export interface IndexedLayer {
  below: number;
  count: number;
  sum: Uint8Array;
  pathIndexFile: string;
}

/** Role of the thread in its start data. */
export const THREAD = 'stithy-counter';

/** Start data of a thread. */
export interface ThreadData {
  program: typeof THREAD;
  dir: string;
  hashBytes: number;
  /** Oldest first; commits of the last one are counted. */
  layers: readonly IndexedLayer[];
  order: FirstParentOrder;
  tally: Tally;
  /** The first slot that no thread has taken. */
  next: Int32Array;
}

/** Whether start data are for this kind of thread. */
export const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === 'object' && data !== null && 'program' in data && data.program === THREAD;

/** Main function of the thread: counts on each request and reports completion. */
export async function serveThread(port: MessagePort, data: ThreadData): Promise<void> {
  const thread = await CountingThread.open(data);
  port.on('message', async () => {
    await thread.count();
    port.postMessage('done');
  });
  port.postMessage('ready');
}

class CountingThread {
  readonly #data: ThreadData;
  readonly #indexes: readonly PathIndex[];
  readonly #versions: FileVersions;
  readonly #paths: PathVersions;

  private constructor(data: ThreadData, indexes: readonly PathIndex[], versions: FileVersions) {
    this.#data = data;
    this.#indexes = indexes;
    this.#versions = versions;
    this.#paths = new PathVersions(data.order, changeBytes(data.hashBytes));
  }

  /** @throws GitError `failed` if an index is missing; `corrupt` */
  static async open(data: ThreadData): Promise<CountingThread> {
    const indexes: PathIndex[] = [];
    for (const { pathIndexFile, count, sum } of data.layers) {
      const index = await PathIndex.load(pathIndexFile, count, Buffer.from(sum));
      if (index === null) throw new GitError('failed', 'a path index was removed');
      indexes.push(index);
    }
    const shared = createPackResources({
      blockBytes: MiB,
      baseBytes: 12 * MiB,
      maxOpen: 32,
      idleMs: 60_000,
      inlineInflateBytes: MiB,
      readsVersions: true,
    });
    const objects = await new ObjectFolder(data.dir, shared).open();
    return new CountingThread(data, indexes, new FileVersions(objects));
  }

  /** Counts lines for the paths of slots, taking free slots until none is left. */
  async count(): Promise<void> {
    const { next } = this.#data;
    const { slots } = this.#indexes.at(-1)!;
    for (let slot = Atomics.add(next, 0, SLOTS); slot < slots; slot = Atomics.add(next, 0, SLOTS)) {
      for (let nth = slot; nth < Math.min(slot + SLOTS, slots); nth += 1) await this.#countSlot(nth);
    }
  }

  async #countSlot(slot: number): Promise<void> {
    const key = this.#indexes.at(-1)!.keyAt(slot);
    if (key === null) return;
    const layers: LayerChanges[] = [];
    for (const [nth, index] of this.#indexes.entries()) {
      const changes = await index.changesOfKey(key);
      if (changes === null) throw new GitError('failed', 'a path index is damaged');
      layers.push({ below: this.#data.layers[nth]!.below, changes });
    }
    const { states } = this.#data.tally;
    const { below } = this.#data.layers.at(-1)!;
    this.#versions.begin();
    await this.#paths.tell(
      layers,
      (position) => position >= below && (states[position - below]! & REQUESTED) !== 0,
      (position, before, after) => this.#add(position - below, before, after),
    );
  }

  async #add(index: number, before: Version, after: Version): Promise<void> {
    const { tally } = this.#data;
    const stats = await this.#versions.count(before, after).catch(noneOfDamaged);
    const which = before === '' ? ADDED : after === '' ? REMOVED : 0;
    if (stats === null) Atomics.or(tally.states, index, LEFT_TO_GIT | which);
    else addLines(tally, index, stats.additions, stats.deletions, which);
  }
}

function noneOfDamaged(error: unknown): null {
  if (error instanceof GitError || error instanceof TooLargeToRead) return null;
  throw error;
}
