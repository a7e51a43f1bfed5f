import { setTimeout as sleep } from 'node:timers/promises';
import { loadGraph } from '../../src/git/commit-graph/commit-graph.load.ts';
import { isMissingPathIndex } from '../../src/git/commit-graph/write-path-index.ts';
import { isMissingStats } from '../../src/git/commit-graph/write-stats-index.ts';
import { gitText } from '../git.ts';

const LOOK_MS = 250;

/** Seconds from `since` (of `performance.now`) until each index of a repository was seen to be whole. */
export interface IndexedAfter {
  graph: number;
  paths: number;
  lines: number;
}

/**
 * Waits until the commit-graph has the tip of `main`, and its layers their indexes.
 * @param dir of the repository
 * @throws Error after ten minutes
 */
export async function untilIndexed(dir: string, since: number): Promise<IndexedAfter> {
  const seen: Partial<IndexedAfter> = {};
  const tip = (await gitText(dir, ['rev-parse', 'main'])).trim();
  for (const seconds = () => (performance.now() - since) / 1_000; seconds() < 600; await sleep(LOOK_MS)) {
    const { graph } = await loadGraph(dir);
    if (graph === null || graph.find(tip) < 0) continue;
    seen.graph ??= seconds();
    if (!isMissingPathIndex(dir, graph)) seen.paths ??= seconds();
    if (!isMissingStats(dir, graph)) seen.lines ??= seconds();
    const { graph: graphAfter, paths, lines } = seen;
    if (graphAfter !== undefined && paths !== undefined && lines !== undefined)
      return { graph: graphAfter, paths, lines };
  }
  throw new Error('the indexes were not whole after ten minutes');
}
