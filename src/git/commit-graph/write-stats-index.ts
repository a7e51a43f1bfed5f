import { setImmediate } from 'node:timers/promises';
import { askForStats } from './ask-stats.ts';
import { isOwn, untilUnwritten, writeBeside } from './beside-layers.ts';
import type { CommitGraph } from './commit-graph.ts';
import { layerOf } from './first-parents.ts';
import type { GraphLayer } from './layer.ts';
import { loadGraph } from './load.ts';
import { StatsIndex } from './stats-index.ts';

/** How long git is asked before what it said is written and others have their turn, in milliseconds. */
const SLICE_MS = 5_000;
/** Commits at most that it is asked for then. */
const MOST = 8_000;
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

/**
 * Asks git for a while how many lines commits change that a repository's own commit-graph does not know this of, the newest first, and
 * writes it beside the layer. To be called by one at a time for a repository.
 * @param signal ends it, and what was not written is lost
 * @param sliceMs about how long it may take, in milliseconds
 * @returns whether there is more to do
 * @throws GitError `aborted`, `busy`, `denied`, `corrupt`; what the file system throws
 */
export async function writeStats(dir: string, signal?: AbortSignal, sliceMs: number = SLICE_MS): Promise<boolean> {
  const { graph } = await loadGraph(dir);
  const layers = (graph?.layers ?? []).filter((layer) => !isComplete(layer) && isOwn(dir, layer));
  const until = performance.now() + sliceMs;
  for (let layer = layers.pop(); layer !== undefined; layer = layers.pop()) {
    if (await writeSlice(dir, layer, until, signal)) return true;
    if (performance.now() > until) break;
  }
  return layers.length > 0;
}

async function writeSlice(
  dir: string,
  layer: GraphLayer,
  until: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  await untilUnwritten(layer.statsFile, signal);
  layer.stats = (await StatsIndex.load(layer.statsFile, layer.count, layer.sum)) ?? layer.stats;
  if (isComplete(layer)) return false;
  const stats = copyOf(layer);
  const places = await newestUnknown(layer, stats);
  // The file is there while git is asked, so that another server waits.
  await writeBeside(layer.statsFile, async (file) => {
    await askForStats(dir, layer, places, until, (place, found) => stats.enter(place, found), signal);
    signal?.throwIfAborted();
    await file.writeFile(stats.file());
  });
  return stats.unknown > 0;
}

const copyOf = ({ stats, count, sum }: GraphLayer): StatsIndex => stats?.copy() ?? StatsIndex.empty(count, sum);

async function write(layer: GraphLayer, stats: StatsIndex): Promise<void> {
  await writeBeside(layer.statsFile, (file) => file.writeFile(stats.file()));
}

/** The newest commits of which nothing is known yet, in their order, as git reads them quickest. */
async function newestUnknown(layer: GraphLayer, stats: StatsIndex): Promise<number[]> {
  const counts = new Uint32Array(PERIODS);
  const periodOf = (place: number) => Math.floor(layer.date(place) / PERIOD);
  for (let place = 0; place < layer.count; place += 1) {
    if (place % STEPS === 0) await setImmediate();
    if (stats.isUnknown(place)) counts[periodOf(place)]! += 1;
  }
  let oldest = PERIODS - 1;
  let newer = 0;
  while (oldest > 0 && newer + counts[oldest]! < MOST) {
    newer += counts[oldest]!;
    oldest -= 1;
  }
  let room = MOST - newer;
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
