import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../durable.ts';
import { runLowPriority } from '../low-priority.ts';
import { loadGraph } from './commit-graph.load.ts';

const HEADER = 8;
const TABLE_ROW = 12;
const MAX_CHUNKS = 32;
const WRITE = ['commit-graph', 'write', '--reachable', '--changed-paths', '--split=replace', '--no-progress'];

/**
 * Has git write its filters of changed paths (gitformat-commit-graph) into a graph that is left to it, or whose commits change too many paths
 * for an index; from then on git adds them by itself. Others do without: the index of paths says more.
 * @param maxBytes of a graph that is read here
 * @throws GitError `failed`, `timeout`, `busy`; what the file system throws
 */
export async function writeGitFilters(dir: string, maxBytes: number): Promise<void> {
  const folder = join(dir, 'objects/info/commit-graphs');
  const chain = await readFile(join(folder, 'commit-graph-chain'), 'latin1').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  const files = chain
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => join(folder, `graph-${name}.graph`));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const isLarge = sizes.reduce((sum, size) => sum + size, 0) > maxBytes;
  const { graph } = await loadGraph(dir);
  const isTooMuch = graph?.layers.some(({ pathIndex }) => pathIndex?.isTooMuch) ?? false;
  if (files[0] === undefined || (!isLarge && !isTooMuch) || (await hasFilters(files[0]))) return;
  await runLowPriority(dir, WRITE);
}

/** Whether a layer of a graph has filters, by its table of contents. */
async function hasFilters(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER + MAX_CHUNKS * TABLE_ROW));
    const chunks = Math.min(buffer[6]!, Math.floor((bytesRead - HEADER) / TABLE_ROW));
    const names = Array.from({ length: chunks }, (_, nth) => {
      const row = HEADER + nth * TABLE_ROW;
      return buffer.toString('latin1', row, row + 4);
    });
    return names.includes('BIDX');
  } finally {
    await file.close();
  }
}
