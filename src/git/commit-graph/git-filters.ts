import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../files/index.ts';
import { runLowPriority } from '../process/index.ts';
import { loadGraph } from './commit-graph.load.ts';

const HEADER = 8;
const TABLE_ROW = 12;
const MAX_CHUNKS = 32;
const WRITE = ['commit-graph', 'write', '--reachable', '--changed-paths', '--split=replace', '--no-progress'];

/**
 * Lets git write changed-path filters (gitformat-commit-graph) into a graph that git reads itself, or whose commits
 * change too many paths for a path index. Git maintains them afterwards. Other graphs need no filters, since the path
 * index is more precise.
 * @param maxBytes maximum size of a graph that this process reads
 * @throws GitError `failed`, `timeout`, `busy`; file system errors
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

/** Whether a layer has filters, according to its table of contents. */
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
