import { setImmediate } from 'node:timers/promises';
import type { DiffStats } from '../line-diff/index.ts';
import { type DiffCommand, LOW_PRIORITY_RENAMES, LOW_PRIORITY_STATS } from '../process/index.ts';
import { askForStats, type OnStats } from './ask-stats.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { loadGraph } from './commit-graph.load.ts';
import type { CommitGraph } from './commit-graph.ts';
import { layerOf } from './first-parents.ts';
import { ownsLayer, waitForOtherWriter, writeSidecar } from './layer-sidecars.ts';
import { canCount, LineCounter } from './line-counter/line-counter.ts';
import { StatsIndex } from './stats-index.ts';

/** Duration of a slice in milliseconds, after which results are written and other repositories have their turn. */
const SLICE_MS = 5_000;
/** Maximum number of commits requested from git in a slice. */
const MAX_ASKED = 8_000;
/**
 * Minimum number of commits for which the in-process line counter is started, which counts path by path; also the size
 * of its first slice.
 */
const MANY = 2_000;
const FIRST_COUNTED = 8_000;
/** Idle time in milliseconds after which that process ends. */
const IDLE_MS = 3_000;
/** Number of commits processed before yielding. */
const STEPS = 10_000;
const FINDS = 500;
/** Dates are bucketed by this many seconds, some three days. */
const PERIOD = 2 ** 18;
/** Number of buckets for the 34 bits of a date. */
const PERIODS = 2 ** 16;

const isComplete = ({ stats }: GraphLayer): boolean => stats?.unknown === 0;

/** Whether `writeStats` has work to do. */
export function isMissingStats(dir: string, graph: CommitGraph): boolean {
  return graph.layers.some((layer) => !isComplete(layer) && ownsLayer(dir, layer));
}

export interface StatsOptions {
  /** Aborts the work; unwritten results are lost. */
  signal?: AbortSignal | undefined;
  /** Approximate duration in milliseconds. */
  sliceMs?: number;
  /** Minimum number of commits for the line counter process, and the size of its first slice. */
  many?: number;
  firstCounted?: number;
}

/**
 * For one time slice, counts the lines of commits without a value in a repository's own commit-graph, newest first, and
 * writes them to the stats index. Calls for one repository must not overlap.
 * @returns whether there is more to do
 * @throws GitError `aborted`, `busy`, `denied`, `corrupt`; file system errors
 */
export async function writeStats(dir: string, options: StatsOptions = {}): Promise<boolean> {
  const { sliceMs = SLICE_MS } = options;
  const { graph } = await loadGraph(dir);
  const layers = (graph?.layers ?? []).filter((layer) => !isComplete(layer) && ownsLayer(dir, layer));
  const until = performance.now() + sliceMs;
  for (let layer = layers.pop(); layer !== undefined; layer = layers.pop()) {
    if (await new StatsWriter(dir, graph!, layer, options).write()) return true;
    if (performance.now() > until) break;
  }
  return layers.length > 0;
}

/** The process that counted last, kept for the next slice. Lines are counted in one repository at a time. */
let idle: { counter: LineCounter; leave: () => void } | undefined;
/** Layers on which such a process has failed. */
const unfit = new WeakSet<GraphLayer>();

function takeIdle(): LineCounter | undefined {
  const counter = idle?.counter;
  idle?.leave();
  idle = undefined;
  return counter;
}

/** Keeps a process for the next slice until it is idle too long. @param signal ends it as well */
function keepIdle(counter: LineCounter, signal: AbortSignal | undefined): void {
  takeIdle()?.kill();
  const end = () => takeIdle()?.kill();
  const timer = setTimeout(end, IDLE_MS);
  signal?.addEventListener('abort', end);
  const leave = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  };
  idle = { counter, leave };
}

/** Writes the stats index of one layer in slices. */
class StatsWriter {
  readonly #dir: string;
  readonly #graph: CommitGraph;
  readonly #layer: GraphLayer;
  readonly #options: StatsOptions;

  constructor(dir: string, graph: CommitGraph, layer: GraphLayer, options: StatsOptions) {
    this.#dir = dir;
    this.#graph = graph;
    this.#layer = layer;
    this.#options = options;
  }

  /**
   * Counts and writes values for some of the newest commits.
   * @returns whether there is more to do
   */
  async write(): Promise<boolean> {
    const layer = this.#layer;
    const { signal } = this.#options;
    await waitForOtherWriter(layer.statsFile, signal);
    layer.stats = (await StatsIndex.load(layer.statsFile, layer.count, layer.sum)) ?? layer.stats;
    if (isComplete(layer)) return false;
    const stats = copyOf(layer);
    const enter: OnStats = (index, counts) => stats.enter(index, counts);
    const counter = await this.#counter(stats.unknown);
    const places = await newestUnknown(layer, stats, counter?.maxCommits ?? MAX_ASKED);
    try {
      // The file exists while lines are counted, so that another server waits.
      await writeSidecar(layer.statsFile, async (file) => {
        await (counter === null ? this.#ask(LOW_PRIORITY_STATS, places, enter) : this.#count(counter, places, enter));
        signal?.throwIfAborted();
        await file.writeFile(stats.file());
      });
    } catch (error) {
      counter?.kill();
      throw error;
    }
    if (counter !== null && stats.unknown > 0) keepIdle(counter, signal);
    else counter?.kill();
    return stats.unknown > 0;
  }

  /** The counter for this many commits; null if git must be asked. */
  async #counter(unknown: number): Promise<LineCounter | null> {
    const known = takeIdle();
    if (known?.layer === this.#layer && !known.ended) return known;
    known?.kill();
    const { many = MANY, firstCounted = FIRST_COUNTED } = this.#options;
    const isFit = unknown >= many && !unfit.has(this.#layer) && canCount(this.#graph, this.#layer);
    return isFit ? await LineCounter.start(this.#dir, this.#layer, firstCounted) : null;
  }

  async #count(counter: LineCounter, places: readonly number[], onStats: OnStats): Promise<void> {
    const counted = await counter.count(places, this.#options.signal);
    if (counted === null) {
      // For example for lack of memory.
      unfit.add(this.#layer);
      return await this.#ask(LOW_PRIORITY_STATS, places, onStats);
    }
    const parts = new Map<number, DiffStats>();
    const left: number[] = [];
    for (const [nth, index] of places.entries()) {
      const stats = counted[nth]!;
      if (stats === null) left.push(index);
      else if (stats.isPart) parts.set(index, stats);
      else onStats(index, stats);
    }
    await this.#ask(LOW_PRIORITY_RENAMES, [...parts.keys()], (index, renamed) => {
      const { additions, deletions } = parts.get(index)!;
      const sum = renamed && { additions: additions + renamed.additions, deletions: deletions + renamed.deletions };
      onStats(index, sum);
    });
    await this.#ask(LOW_PRIORITY_STATS, left, onStats);
  }

  async #ask(command: DiffCommand, places: readonly number[], onStats: OnStats): Promise<void> {
    if (places.length === 0) return;
    const { sliceMs = SLICE_MS, signal } = this.#options;
    const [dir, layer, until] = [this.#dir, this.#layer, performance.now() + sliceMs];
    await askForStats({ dir, command, layer, places, until, signal }, onStats);
  }
}

const copyOf = ({ stats, count, sum }: GraphLayer): StatsIndex => stats?.copy() ?? StatsIndex.empty(count, sum);

async function write(layer: GraphLayer, stats: StatsIndex): Promise<void> {
  await writeSidecar(layer.statsFile, (file) => file.writeFile(stats.file()));
}

/** The newest commits without a value, newest first, which git reads fastest. */
async function newestUnknown(layer: GraphLayer, stats: StatsIndex, limit: number): Promise<number[]> {
  const counts = new Uint32Array(PERIODS);
  const periodOf = (index: number) => Math.floor(layer.date(index) / PERIOD);
  for (let index = 0; index < layer.count; index += 1) {
    if (index % STEPS === 0) await setImmediate();
    if (stats.isUnknown(index)) counts[periodOf(index)]! += 1;
  }
  let oldest = PERIODS - 1;
  let newer = 0;
  while (oldest > 0 && newer + counts[oldest]! < limit) {
    newer += counts[oldest]!;
    oldest -= 1;
  }
  let room = limit - newer;
  const places: number[] = [];
  for (let index = 0; index < layer.count; index += 1) {
    if (index % STEPS === 0) await setImmediate();
    if (!stats.isUnknown(index)) continue;
    const period = periodOf(index);
    if (period === oldest) room -= 1;
    if (period > oldest || (period === oldest && room >= 0)) places.push(index);
  }
  return places.sort((a, b) => layer.date(b) - layer.date(a));
}

/**
 * Copies the values of a previous graph into layers without stats, after git has merged or rewritten its layers.
 * @throws file system errors
 */
export async function copyStats(dir: string, before: CommitGraph): Promise<void> {
  if (before.layers.every(({ stats }) => stats === null)) return;
  const { graph } = await loadGraph(dir);
  for (const layer of graph?.layers ?? []) {
    if (layer.stats !== null || before.layers.includes(layer) || !ownsLayer(dir, layer)) continue;
    const stats = copyOf(layer);
    for (let index = 0; index < layer.count; index += 1) {
      if (index % FINDS === 0) await setImmediate();
      const position = before.find(layer.oid(index));
      const earlier = position < 0 ? null : layerOf(before.layers, position);
      const known = earlier?.stats ?? null;
      if (known === null) continue;
      const at = position - earlier!.below;
      if (!known.isUnknown(at)) stats.enter(index, known.of(at));
    }
    if (stats.unknown < layer.count) await write(layer, stats);
  }
}
