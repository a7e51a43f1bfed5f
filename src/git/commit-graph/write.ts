import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runInBackground } from '../in-background.ts';
import { KeyedQueue } from '../queue.ts';
import { loadGraph } from './load.ts';
import { writePathIndexes } from './write-path-index.ts';

/** So many repositories get their graph at once: a large one that is new takes its time. */
const AT_ONCE = 2;
const queue = new KeyedQueue({ maxWaiting: 10_000 });
const WRITE = ['commit-graph', 'write', '--changed-paths', '--split', '--no-progress'];

const laneOf = (dir: string): string => {
  return String([...dir].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % AT_ONCE);
};

/**
 * Adds commits and all that they reach to the commit-graph of a repository, as a layer on top, which git joins with those
 * below as it grows, and indexes their paths. One write of a repository at a time.
 * @param oids of commits, or of tags that lead to them
 * @throws GitError `failed`, `timeout`, `busy`
 */
export function addToGraph(dir: string, oids: readonly string[]): Promise<void> {
  return queue.run(laneOf(dir), async () => {
    await runInBackground(dir, [...WRITE, '--stdin-commits'], oids.map((oid) => `${oid}\n`).join(''));
    await writePathIndexes(dir);
  });
}

/**
 * Makes what the commit-graph of a repository lacks of path indexes.
 * @throws GitError as `addToGraph`; what the file system throws
 */
export function completeGraph(dir: string): Promise<void> {
  return queue.run(laneOf(dir), () => writePathIndexes(dir));
}

/**
 * The same for all that refs reach. A damaged graph is made anew: it holds nothing that objects do not.
 * @throws GitError as `addToGraph`
 */
export function writeWholeGraph(dir: string): Promise<void> {
  return queue.run(laneOf(dir), async () => {
    if ((await loadGraph(dir)).state === 'damaged') {
      await rm(join(dir, 'objects/info/commit-graph'), { force: true });
      await rm(join(dir, 'objects/info/commit-graphs'), { recursive: true, force: true, maxRetries: 3 });
    }
    await runInBackground(dir, [...WRITE, '--reachable']);
    await writePathIndexes(dir);
  });
}
