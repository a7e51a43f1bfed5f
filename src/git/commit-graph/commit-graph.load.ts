import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { GitError } from '../common/index.ts';
import { type FileStamp, isMissing, isUnchanged, stampOf } from '../files/index.ts';
import { GraphLayer, hashBytesOf } from './commit-graph.layer.ts';
import { CommitGraph } from './commit-graph.ts';
import { rankFirstParents } from './first-parents.ts';
import { PathIndex } from './path-index.ts';
import { reading } from './read-file.ts';
import { StatsIndex } from './stats-index.ts';

/** Larger graphs are left to git: the layers of all repositories share one memory bound. */
export const MAX_GRAPH_BYTES = 48 * 1024 * 1024;
const MAX_ALTERNATES = 5;
const MAX_LAYERS = 100;
/** Number of attempts to read a graph that is replaced meanwhile. */
const ATTEMPTS = 3;

/** Result of loading a repository's commit-graph. */
export interface LoadedGraph {
  graph: CommitGraph | null;
  /** `damaged`: git must not use it either; `unfit`: too large, or the history is shallow. */
  state: 'good' | 'damaged' | 'unfit';
  /** Whether the result still matches the files. */
  isCurrent(): boolean;
}

/** Layers in use, by path: those of a chain stay valid when layers are added on top. */
const layers = new Map<string, WeakRef<GraphLayer>>();
const gone = new FinalizationRegistry<string>((key) => {
  if (layers.get(key)?.deref() === undefined) layers.delete(key);
});

/**
 * Reads the commit-graph that git would use for a repository: its own, else that of its first alternate.
 * @param dir of the repository
 * @throws file system errors for unreadable files
 */
export async function loadGraph(dir: string): Promise<LoadedGraph> {
  for (let attempt = 1; ; attempt += 1) {
    const folders = objectFolders(join(dir, 'objects'));
    const seen = new Seen();
    const shallow = seen.look(join(dir, 'shallow'));
    try {
      const loaded = shallow ? null : await readFirst(folders, seen);
      const unfit = shallow || loaded === 'large';
      return {
        graph: loaded === 'large' ? null : loaded,
        state: unfit ? 'unfit' : 'good',
        isCurrent: () => seen.isCurrent(),
      };
    } catch (error) {
      // A chain that was replaced meanwhile names missing files.
      if (isMissing(error) && attempt < ATTEMPTS) continue;
      if (!isMissing(error) && !(error instanceof GitError && error.code === 'corrupt')) throw error;
      return { graph: null, state: 'damaged', isCurrent: () => seen.isCurrent() };
    }
  }
}

/** Files that were checked, with their state. */
class Seen {
  readonly #stamps = new Map<string, FileStamp | null>();

  /** Checks whether a file exists and records its state. */
  look(path: string): boolean {
    const stats = statsOf(path);
    this.#stamps.set(path, stats && stampOf(stats));
    return stats !== null;
  }

  isCurrent(): boolean {
    for (const [path, stamp] of this.#stamps) {
      const stats = statsOf(path);
      if (stamp === null ? stats !== null : stats === null || !isUnchanged(stamp, stats)) return false;
    }
    return true;
  }
}

// Synchronous, as for references: every request waits for these few calls, and a thread would take longer.
function statsOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Lines of a small file; none if it does not exist. */
function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function objectFolders(own: string): string[] {
  const folders = [own];
  // Grows during the loop.
  for (const folder of folders) {
    if (folders.length > MAX_ALTERNATES) break;
    for (const line of linesOf(join(folder, 'info', 'alternates'))) {
      const other = resolve(folder, line);
      if (line !== '' && !line.startsWith('#') && !folders.includes(other)) folders.push(other);
    }
  }
  return folders;
}

async function readFirst(folders: readonly string[], seen: Seen): Promise<CommitGraph | null | 'large'> {
  for (const folder of folders) {
    const single = join(folder, 'info', 'commit-graph');
    if (seen.look(single)) return await readLayers([single], seen);
    const chain = join(folder, 'info', 'commit-graphs', 'commit-graph-chain');
    if (!seen.look(chain)) continue;
    const names = linesOf(chain).filter((line) => line !== '');
    if (names.length > MAX_LAYERS || !names.every((name) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name))) {
      throw new GitError('corrupt', 'commit-graph: bad chain');
    }
    if (names.length === 0) continue;
    return await readLayers(
      names.map((name) => layerPath(folders, name)),
      seen,
    );
  }
  return null;
}

function layerPath(folders: readonly string[], name: string): string {
  const paths = folders.map((folder) => join(folder, 'info', 'commit-graphs', `graph-${name}.graph`));
  for (const path of paths.slice(0, -1)) if (statsOf(path) !== null) return path;
  return paths.at(-1)!;
}

async function readLayers(paths: readonly string[], seen: Seen): Promise<CommitGraph | 'large'> {
  const stamps = paths.map((path) => stampOf(statSync(path, { bigint: true })));
  if (stamps.reduce((sum, { size }) => sum + Number(size), 0) > MAX_GRAPH_BYTES) return 'large';
  const chain: GraphLayer[] = [];
  for (const [nth, path] of paths.entries()) {
    const below = chain.reduce((sum, { count }) => sum + count, 0);
    const { ino, size, mtimeNs } = stamps[nth]!;
    const key = `${path} ${below} ${ino} ${size} ${mtimeNs}`;
    const layer = layers.get(key)?.deref() ?? (await readLayer(path, chain, key));
    layer.pathIndex ??= await PathIndex.load(layer.pathIndexFile, layer.count, layer.sum);
    if (layer.pathIndex === null) seen.look(layer.pathIndexFile);
    if (layer.stats?.unknown !== 0) {
      // The stats index grows over time.
      seen.look(layer.statsFile);
      layer.stats = (await StatsIndex.load(layer.statsFile, layer.count, layer.sum)) ?? layer.stats;
    }
    if (chain[0] !== undefined && layer.hashBytes !== chain[0].hashBytes)
      throw new GitError('corrupt', 'commit-graph: mixed hash algorithms');
    chain.push(layer);
  }
  return new CommitGraph(chain);
}

/** Undetected damage would cause wrong results, so the checksum is verified, on another thread. */
async function readLayer(path: string, chain: readonly GraphLayer[], key: string): Promise<GraphLayer> {
  const below = chain.reduce((sum, { count }) => sum + count, 0);
  const bytes = await reading(path, (bytesAt, size) => bytesAt(0, size));
  const hashBytes = hashBytesOf(bytes);
  const end = bytes.length - hashBytes;
  const sum = await crypto.subtle.digest(hashBytes === 20 ? 'SHA-1' : 'SHA-256', bytes.subarray(0, end));
  if (!Buffer.from(sum).equals(bytes.subarray(end))) throw new GitError('corrupt', `${path}: bad check sum`);
  const folder = dirname(path);
  const layer = new GraphLayer(bytes, below, path.endsWith('.graph') ? folder : join(folder, 'commit-graphs'));
  await rankFirstParents(layer, chain);
  layers.set(key, new WeakRef(layer));
  gone.register(layer, key);
  return layer;
}
