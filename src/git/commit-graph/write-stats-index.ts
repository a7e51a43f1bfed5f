import { setImmediate } from 'node:timers/promises';
import { RENAMED_IN_BACKGROUND, STATS_IN_BACKGROUND } from '../diff-commands.ts';
import type { DiffCommand } from '../diff-process.ts';
import type { DiffStats } from '../line-diff/line-diff.ts';
import { canCount, LineCounter } from '../line-counter/line-counter.ts';
import { askForStats, type OnStats } from './ask-stats.ts';
import { isOwn, untilUnwritten, writeBeside } from './beside-layers.ts';
import type { CommitGraph } from './commit-graph.ts';
import { layerOf } from './first-parents.ts';
import type { GraphLayer } from './layer.ts';
import { loadGraph } from './load.ts';
import { StatsIndex } from './stats-index.ts';

/** How long lines are counted before what was found is written and others have their turn, in milliseconds. */
const SLICE_MS = 5_000;
/** Commits at most that git is asked for then. */
const MOST_ASKED = 8_000;
/** From so many commits on it pays to start a process that counts lines here, path by path; with so many it begins. */
const MANY = 2_000;
const FIRST_COUNTED = 8_000;
/** A slice of it is so many times longer than the one before, where that took little of the time that there is. */
const GROWTH = 4;
const MOST_COUNTED = 200_000;
/** So many commits are looked at, or looked up, before others have their turn. */
const STEPS = 10_000;
const FINDS = 500;
/** Dates are sorted by so many seconds, some three days, first. */
const PERIOD = 2 ** 18;
/** As many of them as the 34 bits of a date have. */
const PERIODS = 2 ** 16;

const isComplete = ({ stats }: GraphLayer): boolean => stats?.unknown === 0;

/** Whether there is something to do for `writeStats`. */
export function lacksStats(dir: string, graph: CommitGraph): boolean {
  return graph.layers.some((layer) => !isComplete(layer) && isOwn(dir, layer));
}

export interface StatsOptions {
  /** Ends it, and what was not written is lost. */
  signal?: AbortSignal | undefined;
  /** About how long it may take, in milliseconds. */
  sliceMs?: number;
  /** From how many commits on a process of our own counts, and how many in its first slice. */
  many?: number;
  firstCounted?: number;
}

/**
 * Finds for a while how many lines commits change that a repository's own commit-graph does not know this of, the newest first, and
 * writes it beside the layer. To be called by one at a time for a repository.
 * @returns whether there is more to do
 * @throws GitError `aborted`, `busy`, `denied`, `corrupt`; what the file system throws
 */
export async function writeStats(dir: string, options: StatsOptions = {}): Promise<boolean> {
  const { signal, sliceMs = SLICE_MS, many = MANY } = options;
  const { graph } = await loadGraph(dir);
  const layers = (graph?.layers ?? []).filter((layer) => !isComplete(layer) && isOwn(dir, layer));
  const until = performance.now() + sliceMs;
  for (let layer = layers.pop(); layer !== undefined; layer = layers.pop()) {
    const unknown = layer.stats?.unknown ?? layer.count;
    const isMany = unknown >= many && canCount(graph!, layer);
    const counter = isMany ? await LineCounter.start(dir, layer, signal) : null;
    const writer = new StatsWriter(dir, layer, until, signal);
    try {
      const isMore = counter === null ? await writer.writeAsked() : await writer.writeCounted(counter, options);
      if (isMore) return true;
    } finally {
      await counter?.end();
    }
    if (performance.now() > until) break;
  }
  return layers.length > 0;
}

/** What is found of some commits is told by their places; null where git gave no answer. */
type Find = (places: readonly number[], onStats: OnStats) => Promise<void>;

/** Writes the stats index of one layer, slice by slice. */
class StatsWriter {
  readonly #dir: string;
  readonly #layer: GraphLayer;
  readonly #until: number;
  readonly #signal: AbortSignal | undefined;

  /** @param until by `performance.now`, after which no slice is begun but the first */
  constructor(dir: string, layer: GraphLayer, until: number, signal: AbortSignal | undefined) {
    this.#dir = dir;
    this.#layer = layer;
    this.#until = until;
    this.#signal = signal;
  }

  /** Asks git. @returns whether there is more to do */
  async writeAsked(): Promise<boolean> {
    return await this.#writeSlice(MOST_ASKED, (places, onStats) => this.#ask(STATS_IN_BACKGROUND, places, onStats));
  }

  /** Has lines counted by a process, and asks git for what that leaves to it. @returns whether there is more to do */
  async writeCounted(counter: LineCounter, { firstCounted = FIRST_COUNTED }: StatsOptions): Promise<boolean> {
    for (let most = firstCounted; ; ) {
      const began = performance.now();
      if (!(await this.#writeSlice(most, (places, onStats) => this.#count(counter, places, onStats)))) return false;
      const [now, left] = [performance.now(), this.#until - performance.now()];
      if (left <= 0) return true;
      if (GROWTH * (now - began) < 2 * left) most = Math.min(MOST_COUNTED, GROWTH * most);
    }
  }

  async #writeSlice(most: number, find: Find): Promise<boolean> {
    const layer = this.#layer;
    await untilUnwritten(layer.statsFile, this.#signal);
    layer.stats = (await StatsIndex.load(layer.statsFile, layer.count, layer.sum)) ?? layer.stats;
    if (isComplete(layer)) return false;
    const stats = copyOf(layer);
    const places = await newestUnknown(layer, stats, most);
    // The file is there while lines are counted, so that another server waits.
    await writeBeside(layer.statsFile, async (file) => {
      await find(places, (place, found) => stats.enter(place, found));
      this.#signal?.throwIfAborted();
      await file.writeFile(stats.file());
    });
    return stats.unknown > 0;
  }

  async #count(counter: LineCounter, places: readonly number[], onStats: OnStats): Promise<void> {
    const counted = await counter.count(places);
    this.#signal?.throwIfAborted();
    // It may have ended for want of memory.
    if (counted === null) return await this.#ask(STATS_IN_BACKGROUND, places, onStats);
    const parts = new Map<number, DiffStats>();
    const left: number[] = [];
    for (const [nth, place] of places.entries()) {
      const stats = counted[nth]!;
      if (stats === null) left.push(place);
      else if (stats.isPart) parts.set(place, stats);
      else onStats(place, stats);
    }
    await this.#ask(RENAMED_IN_BACKGROUND, [...parts.keys()], (place, renamed) => {
      const { additions, deletions } = parts.get(place)!;
      const sum = renamed && { additions: additions + renamed.additions, deletions: deletions + renamed.deletions };
      onStats(place, sum);
    });
    await this.#ask(STATS_IN_BACKGROUND, left, onStats);
  }

  async #ask(command: DiffCommand, places: readonly number[], onStats: OnStats): Promise<void> {
    if (places.length === 0) return;
    const [dir, layer, signal] = [this.#dir, this.#layer, this.#signal];
    await askForStats({ dir, command, layer, places, until: this.#until, signal }, onStats);
  }
}

const copyOf = ({ stats, count, sum }: GraphLayer): StatsIndex => stats?.copy() ?? StatsIndex.empty(count, sum);

async function write(layer: GraphLayer, stats: StatsIndex): Promise<void> {
  await writeBeside(layer.statsFile, (file) => file.writeFile(stats.file()));
}

/** The newest commits of which nothing is known yet, in their order, as git reads them quickest. */
async function newestUnknown(layer: GraphLayer, stats: StatsIndex, most: number): Promise<number[]> {
  const counts = new Uint32Array(PERIODS);
  const periodOf = (place: number) => Math.floor(layer.date(place) / PERIOD);
  for (let place = 0; place < layer.count; place += 1) {
    if (place % STEPS === 0) await setImmediate();
    if (stats.isUnknown(place)) counts[periodOf(place)]! += 1;
  }
  let oldest = PERIODS - 1;
  let newer = 0;
  while (oldest > 0 && newer + counts[oldest]! < most) {
    newer += counts[oldest]!;
    oldest -= 1;
  }
  let room = most - newer;
  const places: number[] = [];
  for (let place = 0; place < layer.count; place += 1) {
    if (place % STEPS === 0) await setImmediate();
    if (!stats.isUnknown(place)) continue;
    const period = periodOf(place);
    if (period === oldest) room -= 1;
    if (period > oldest || (period === oldest && room >= 0)) places.push(place);
  }
  return places.sort((a, b) => layer.date(b) - layer.date(a));
}

/**
 * Writes what an earlier graph knew beside layers that have nothing yet: git has joined its layers, or written them anew.
 * @throws what the file system throws
 */
export async function carryStats(dir: string, before: CommitGraph): Promise<void> {
  if (before.layers.every(({ stats }) => stats === null)) return;
  const { graph } = await loadGraph(dir);
  for (const layer of graph?.layers ?? []) {
    if (layer.stats !== null || before.layers.includes(layer) || !isOwn(dir, layer)) continue;
    const stats = copyOf(layer);
    for (let place = 0; place < layer.count; place += 1) {
      if (place % FINDS === 0) await setImmediate();
      const position = before.find(layer.oid(place));
      const earlier = position < 0 ? null : layerOf(before.layers, position);
      const known = earlier?.stats ?? null;
      if (known === null) continue;
      const at = position - earlier!.below;
      if (!known.isUnknown(at)) stats.enter(place, known.of(at));
    }
    if (stats.unknown < layer.count) await write(layer, stats);
  }
}
