import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedQueue } from '../git.queue.ts';
import { runLowPriority } from '../low-priority.ts';
import { NICE } from '../priority.ts';
import { loadGraph, MAX_GRAPH_BYTES } from './commit-graph.load.ts';
import { writeGitFilters } from './git-filters.ts';
import { writePathIndexes } from './write-path-index.ts';
import { WriteSlots } from './write-slots.ts';
import { copyStats, writeStats } from './write-stats-index.ts';

/** One write of a repository at a time. */
const repositories = new KeyedQueue();
const slots = new WriteSlots();
/** What ends the early write of a repository. */
const early = new Map<string, AbortController>();
/** Lines are counted in one repository at a time, a slice each. */
const counting = new KeyedQueue({ maxWaiting: 10_000 });
const WRITE = ['commit-graph', 'write', '--split', '--no-progress'];

/** Which commits, with all that they reach: by their ids or those of tags; those of packs, by the names of their indexes; those of refs. */
export type GraphSource = { oids: readonly string[] } | { packs: readonly string[] } | 'refs';

function graphInput(source: GraphSource): { option: string; input: string } {
  if (source === 'refs') return { option: '--reachable', input: '' };
  const isPacks = 'packs' in source;
  const names = isPacks ? source.packs : source.oids;
  return { option: isPacks ? '--stdin-packs' : '--stdin-commits', input: names.map((name) => `${name}\n`).join('') };
}

/**
 * Adds commits and all that they reach to the commit-graph of a repository, as a layer on top, which git joins with those
 * below as it grows, and indexes their paths. One write of a repository at a time.
 * @param signal ends it; what was whole by then stays
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

/** A first push whose objects are in quarantine yet. */
export interface PreRefWrite {
  /** A repository that has the quarantine for its objects: the graph goes there. */
  quarantined: string;
  /** Names of the indexes of its packs. */
  packs: readonly string[];
  /** Ends the writing of the graph. */
  beforeMove: AbortSignal;
  /** Ends all. */
  signal: AbortSignal;
  /** Called when the writing of the graph begins, which is not where it was ended before, and when it is there. */
  onStart: () => void;
  onGraph: () => void;
}

/**
 * Writes the graph of a repository that has none and the index of paths for objects that are in quarantine. The index goes to the
 * repository, so that its writing may go on while git moves the objects there.
 * @throws GitError as `addToGraph`; what the file system throws
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
    await writePathIndexes(quarantined, { folder: join(dir, 'objects/info/commit-graphs'), signal: ended });
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

/** Ends what `addBeforeRefs` writes for a repository that is to be moved or removed. */
export const stopPreRefWrites = (dir: string): void => early.get(dir)?.abort();

/**
 * Makes the path indexes that the commit-graph of a repository lacks.
 * @throws GitError as `addToGraph`; what the file system throws
 */
export function completePaths(dir: string, signal?: AbortSignal): Promise<void> {
  return repositories.run(dir, () => slots.run(dir, () => writePathIndexes(dir, { signal }), signal));
}

/**
 * Counts lines for the stats indexes that the commit-graph of a repository lacks, for a while.
 * @param signal ends it
 * @returns whether lines are left to be counted: others have had their turn before they are, if this is called again
 * @throws GitError as `addToGraph`; what the file system throws
 */
export function completeStats(dir: string, signal?: AbortSignal): Promise<boolean> {
  return counting.run('', () =>
    repositories.run(dir, async () => !signal?.aborted && (await writeStats(dir, { signal }))),
  );
}

/**
 * Adds all that refs reach to the commit-graph of a repository, and indexes it. A damaged graph is made anew: it holds nothing that
 * objects do not.
 * @param maxBytes of a graph that this process reads
 * @returns whether lines are left to be counted
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

/** Writes a graph, which keeps what the one before it knew. */
async function carrying(dir: string, write: () => Promise<void>): Promise<void> {
  const { graph } = await loadGraph(dir);
  await write();
  if (graph !== null) await copyStats(dir, graph);
}
