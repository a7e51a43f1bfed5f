import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedQueue } from '../common/index.ts';
import { NICE, runLowPriority } from '../process/index.ts';
import { loadGraph, MAX_GRAPH_BYTES } from './commit-graph.load.ts';
import { writeGitFilters } from './git-filters.ts';
import { writePathIndexes } from './write-path-index.ts';
import { WriteSlots } from './write-slots.ts';
import { copyStats, writeStats } from './write-stats-index.ts';

/** Serializes the writes of a repository. */
const repositories = new KeyedQueue();
const slots = new WriteSlots();
/** Aborts the early write of a repository. */
const early = new Map<string, AbortController>();
/** Lines are counted in one repository at a time, in slices. */
const counting = new KeyedQueue({ maxWaiting: 10_000 });
const WRITE = ['commit-graph', 'write', '--split', '--no-progress'];

/**
 * Commits to write, with everything that they reach: given as ids of commits or tags, as names of pack indexes, or all
 * refs.
 */
export type GraphSource = { oids: readonly string[] } | { packs: readonly string[] } | 'refs';

function graphInput(source: GraphSource): { option: string; input: string } {
  if (source === 'refs') return { option: '--reachable', input: '' };
  const isPacks = 'packs' in source;
  const names = isPacks ? source.packs : source.oids;
  return { option: isPacks ? '--stdin-packs' : '--stdin-commits', input: names.map((name) => `${name}\n`).join('') };
}

/**
 * Adds commits and everything that they reach to the commit-graph of a repository, as a new top layer, which git merges
 * with lower layers as it grows, and indexes their paths. Writes of one repository are serialized.
 * @param signal aborts the write; completed files stay
 * @throws GitError `failed`, `timeout`, `busy`, `aborted`
 */
export function addToGraph(dir: string, source: GraphSource, signal?: AbortSignal): Promise<void> {
  const write = async () => {
    await carrying(dir, () => writeLayer(dir, source, signal));
    await writePathIndexes(dir, { signal });
  };
  return repositories.run(dir, () => slots.run(dir, write, signal));
}

function writeLayer(dir: string, source: GraphSource, signal: AbortSignal | undefined): Promise<void> {
  const { option, input } = graphInput(source);
  return runLowPriority(dir, [...WRITE, option], { input, nice: NICE.transport, signal });
}

/** A first push whose objects are still in quarantine. */
export interface PreRefWrite {
  /** Repository that uses the quarantine as its object directory; receives the graph. */
  quarantined: string;
  /** Names of the indexes of its packs. */
  packs: readonly string[];
  /** Aborts the write of the graph. */
  beforeMove: AbortSignal;
  /** Aborts everything. */
  signal: AbortSignal;
  /** Called when the write of the graph starts, unless it was aborted before, and when the graph is complete. */
  onStart: () => void;
  onGraph: () => void;
}

/**
 * Writes graph and path index for quarantined objects of a repository without a graph. The index is written into the
 * repository, so its write can continue while git migrates the objects.
 * @throws GitError as `addToGraph`; file system errors
 */
export function addBeforeRefs(
  dir: string,
  { quarantined, packs, beforeMove, signal, ...on }: PreRefWrite,
): Promise<void> {
  const stop = new AbortController();
  const write = async () => {
    on.onStart();
    await writeLayer(quarantined, { packs }, beforeMove);
    on.onGraph();
    const ended = AbortSignal.any([signal, stop.signal]);
    // The other processor is for git's check, which the pusher waits for.
    const folder = join(dir, 'objects/info/commit-graphs');
    await writePathIndexes(quarantined, { folder, signal: ended, processes: 1 });
  };
  return repositories.run(dir, async () => {
    early.set(dir, stop);
    try {
      await slots.run(dir, write, beforeMove);
    } finally {
      early.delete(dir);
    }
  });
}

/** Whether a graph or an index of a repository below these folders is being written. */
export const isWritingGraphs = (folders: readonly string[]): boolean =>
  [...repositories.keys].some((dir) => folders.some((folder) => dir.startsWith(`${folder}/`)));

/** Aborts `addBeforeRefs` for a repository that is about to be moved or removed. */
export const stopPreRefWrites = (dir: string): void => early.get(dir)?.abort();

/**
 * Writes the missing path indexes of a repository's commit-graph.
 * @throws GitError as `addToGraph`; file system errors
 */
export function completePaths(dir: string, signal?: AbortSignal): Promise<void> {
  return repositories.run(dir, () => slots.run(dir, () => writePathIndexes(dir, { signal }), signal));
}

/**
 * Counts lines for the missing stats indexes of a repository's commit-graph, for one time slice.
 * @param signal aborts it
 * @returns whether lines are left: another call continues after other repositories had their turn
 * @throws GitError as `addToGraph`; file system errors
 */
export function completeStats(dir: string, signal?: AbortSignal): Promise<boolean> {
  return counting.run('', () =>
    repositories.run(dir, async () => !signal?.aborted && (await writeStats(dir, { signal }))),
  );
}

/**
 * Adds everything reachable from refs to the commit-graph of a repository and indexes it. A damaged graph is rebuilt,
 * since it is derived from objects.
 * @param maxBytes maximum size of a graph that this process reads
 * @returns whether lines are left to count
 * @throws GitError as `addToGraph`
 */
export async function writeWholeGraph(dir: string, maxBytes: number = MAX_GRAPH_BYTES): Promise<boolean> {
  await repositories.run(dir, async () => {
    if ((await loadGraph(dir)).state === 'damaged') {
      await rm(join(dir, 'objects/info/commit-graph'), { force: true });
      await rm(join(dir, 'objects/info/commit-graphs'), { recursive: true, force: true, maxRetries: 3 });
    }
  });
  await addToGraph(dir, 'refs');
  const write = async () => {
    await carrying(dir, () => writeGitFilters(dir, maxBytes));
    await writePathIndexes(dir);
  };
  await repositories.run(dir, () => slots.run(dir, write));
  return await completeStats(dir);
}

/** Writes a graph and carries over the stats of its predecessor. */
async function carrying(dir: string, write: () => Promise<void>): Promise<void> {
  const { graph } = await loadGraph(dir);
  await write();
  if (graph !== null) await copyStats(dir, graph);
}
