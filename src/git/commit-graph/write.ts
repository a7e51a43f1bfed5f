import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runInBackground } from '../in-background.ts';
import { KeyedQueue } from '../queue.ts';
import { loadGraph } from './load.ts';
import { writePathIndexes } from './write-path-index.ts';
import { carryStats, writeStats } from './write-stats-index.ts';

/** So many repositories get their graph at once: a large one that is new takes its time. */
const AT_ONCE = 2;
const queue = new KeyedQueue({ maxWaiting: 10_000 });
const WRITE = ['commit-graph', 'write', '--changed-paths', '--split', '--no-progress'];

const laneOf = (dir: string): string => {
  return String([...dir].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % AT_ONCE);
};

/**
 * Adds commits and all that they reach to the commit-graph of a repository, as a layer on top, which git joins with those
 * below as it grows, and indexes their paths and the lines that they change. One write of a repository at a time.
 * @param oids of commits, or of tags that lead to them
 * @param signal ends the counting of lines
 * @returns whether lines are left to be counted
 * @throws GitError `failed`, `timeout`, `busy`, `aborted`
 */
export function addToGraph(dir: string, oids: readonly string[], signal?: AbortSignal): Promise<boolean> {
  return queue.run(laneOf(dir), async () => {
    const input = oids.map((oid) => `${oid}\n`).join('');
    await carrying(dir, () => runInBackground(dir, [...WRITE, '--stdin-commits'], input));
    return await writeIndexes(dir, signal);
  });
}

/**
 * Makes some of what the commit-graph of a repository lacks of indexes.
 * @param signal ends the counting of lines
 * @returns whether lines are left to be counted: others have had their turn before they are, if this is called again
 * @throws GitError as `addToGraph`; what the file system throws
 */
export function completeGraph(dir: string, signal?: AbortSignal): Promise<boolean> {
  return queue.run(laneOf(dir), () => writeIndexes(dir, signal));
}

/**
 * The same as `addToGraph` for all that refs reach. A damaged graph is made anew: it holds nothing that objects do not.
 * @throws GitError as `addToGraph`
 */
export function writeWholeGraph(dir: string): Promise<boolean> {
  return queue.run(laneOf(dir), async () => {
    if ((await loadGraph(dir)).state === 'damaged') {
      await rm(join(dir, 'objects/info/commit-graph'), { force: true });
      await rm(join(dir, 'objects/info/commit-graphs'), { recursive: true, force: true, maxRetries: 3 });
    }
    await carrying(dir, () => runInBackground(dir, [...WRITE, '--reachable']));
    return await writeIndexes(dir);
  });
}

/** Writes a graph, which keeps what the one before it knew. */
async function carrying(dir: string, write: () => Promise<void>): Promise<void> {
  const { graph } = await loadGraph(dir);
  await write();
  if (graph !== null) await carryStats(dir, graph);
}

async function writeIndexes(dir: string, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return false;
  await writePathIndexes(dir);
  return await writeStats(dir, signal);
}
