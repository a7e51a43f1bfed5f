import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { mergeStreams } from '../../core/merge-streams.ts';
import { GitError } from '../common/index.ts';
import { type GitChild, NICE, startLowPriority, waitForSuccess } from '../process/index.ts';
import { CHANGED_ENTRIES, ChangedEntries } from './changed-entries.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { loadGraph } from './commit-graph.load.ts';
import type { CommitGraph } from './commit-graph.ts';
import { ownsLayer, removeStaleSidecars, waitForOtherWriter, writeSidecar } from './layer-sidecars.ts';
import { publishPartialIndex, wakeWaiters } from './partial-indexes.ts';
import { type Part, type PartialPathIndex, PathIndex } from './path-index.ts';
import {
  END_BYTES,
  MAGIC,
  MAX_CHANGES,
  MAX_POSITIONS,
  MAX_TABLE_BYTES,
  PART_BYTES,
  SALT_AT,
  SALT_BYTES,
  SLOT_BYTES,
  TOO_MANY,
} from './path-index-format.ts';
import { PART_CHANGES, PathIndexPart } from './path-index-part.ts';

/** Number of commits per write to git's input. */
const LINES = 500;
/** Above this number of commits two git processes are used. A single one would leave half of an idle machine unused. */
const MANY_PLACES = 10_000;
const PROCESSES = Math.min(2, availableParallelism());
/**
 * Number of changes of the first part: the newest commits are indexed first, so that they can be queried soon. Each
 * further part has twice as many, up to `PART_CHANGES`.
 */
const FIRST_CHANGES = 15_000;
const NOTHING_YET: PartialPathIndex = {
  index: PathIndex.unfinished('', { salt: Buffer.alloc(SALT_BYTES), hashBytes: 20 }, []),
  floor: Number.POSITIVE_INFINITY,
};

export interface PathIndexOptions {
  /** Folder of the files; default: beside the layers. */
  folder?: string | undefined;
  /** Aborts the write; completed indexes stay. */
  signal?: AbortSignal | undefined;
  /** Number of changes of the first part. */
  firstChanges?: number;
  /** Maximum number of git processes. */
  processes?: number;
}

type Work = Required<Pick<PathIndexOptions, 'firstChanges' | 'processes'>>;

/**
 * Writes the missing path indexes for the layers of a repository's own commit-graph, and removes those of layers that
 * no longer exist. Calls for one repository must not overlap.
 * @throws GitError `failed`, `timeout`, `busy`; file system errors
 */
export async function writePathIndexes(
  dir: string,
  { folder, signal, firstChanges = FIRST_CHANGES, processes = PROCESSES }: PathIndexOptions = {},
): Promise<void> {
  const { graph } = await loadGraph(dir);
  if (graph === null) return;
  const layers = graph.layers.filter((layer) => ownsLayer(dir, layer) && layer.pathIndex === null);
  try {
    for (const layer of layers) publishPartialIndex(layer, NOTHING_YET);
    wakeWaiters(dir);
    for (const layer of layers) {
      const path = folder === undefined ? layer.pathIndexFile : join(folder, basename(layer.pathIndexFile));
      await writeIndex(dir, graph, layer, { path, signal, firstChanges, processes });
    }
  } finally {
    for (const layer of layers) publishPartialIndex(layer, null);
  }
  if (folder === undefined) await removeStaleSidecars(dir, graph);
}

/** Whether `writePathIndexes` has work to do. */
export function isMissingPathIndex(dir: string, graph: CommitGraph): boolean {
  return graph.layers.some((layer) => layer.pathIndex === null && ownsLayer(dir, layer));
}

async function writeIndex(
  dir: string,
  graph: CommitGraph,
  layer: GraphLayer,
  { path, signal, firstChanges, processes }: { path: string; signal: AbortSignal | undefined } & Work,
): Promise<void> {
  await waitForOtherWriter(path, signal);
  layer.pathIndex = await PathIndex.load(path, layer.count, layer.sum);
  if (layer.pathIndex !== null) return publishPartialIndex(layer, null);
  await writeSidecar(path, async (file, temporary) => {
    const index = new IndexWriter(file, layer, saltOn(graph, layer), firstChanges);
    const start = () => startLowPriority(dir, CHANGED_ENTRIES, { nice: NICE.transport, signal });
    await readChanges({ start, processes }, graph, layer, index, (floor) => {
      publishPartialIndex(layer, { index: index.unfinished(temporary), floor });
    });
    await index.end();
  });
  layer.pathIndex = await PathIndex.load(path, layer.count, layer.sum);
  publishPartialIndex(layer, null);
}

/** Salt of the layer below. */
function saltOn({ layers }: CommitGraph, layer: GraphLayer): Buffer {
  return layers[layers.indexOf(layer) - 1]?.pathIndex?.salt ?? randomBytes(SALT_BYTES);
}

/** A git process and its progress. */
interface Reader {
  git: GitChild;
  entries: ChangedEntries;
  /** Index of its latest commit in the order of all commits. */
  at: number;
  commits: number;
}

/**
 * @param start starts git, in so many processes for many commits
 * @param onPart receives the generation from which on all changes are known
 */
async function readChanges(
  { start, processes }: { start: () => Promise<GitChild>; processes: number },
  graph: CommitGraph,
  layer: GraphLayer,
  index: IndexWriter,
  onPart: (floor: number) => void,
): Promise<void> {
  if (layer.count > MAX_POSITIONS) return index.giveUp();
  const places = await changingPlaces(graph, layer);
  if (places.length === 0) return;
  const order = new Map(places.map((index, nth) => [index, nth]));
  const count = places.length < MANY_PLACES ? 1 : processes;
  const readers: Reader[] = [];
  const fed: Promise<void>[] = [];
  try {
    for (let nth = 0; nth < count; nth += 1) {
      const git = await start();
      readers.push(readerOf(git, layer, order, nth * LINES, index));
      // If git exits before it has read all input, its exit code tells why.
      fed.push(pipeline(linesOf(layer, places, nth, count), git.stdin).catch(() => {}));
    }
    for await (const [nth, chunk] of mergeStreams(readers.map(({ git }) => git.stdout as AsyncIterable<Buffer>))) {
      // A part never ends within a chunk: it exceeds its size by at most one chunk.
      readers[nth]!.entries.take(chunk);
      if (!index.part.isFull) continue;
      await index.endPart();
      if (index.isTooMuch) break;
      // The latest commits may have further changes.
      const furthest = Math.min(...readers.map(({ at }) => at));
      onPart(graph.generation(layer.below + places[furthest]!) + 1);
    }
    if (index.isTooMuch) return;
    for (const { git } of readers) await waitForSuccess(git, 'diff-tree');
  } finally {
    for (const { git } of readers) git.kill();
    await Promise.all(fed);
  }
  const commits = readers.reduce((sum, reader) => sum + reader.commits, 0);
  // Git silently skips unreadable commits.
  if (commits !== places.length || readers.some(({ entries }) => !entries.isWhole))
    throw new GitError('failed', 'git diff-tree: incomplete output');
}

function readerOf(
  git: GitChild,
  layer: GraphLayer,
  order: ReadonlyMap<number, number>,
  at: number,
  index: IndexWriter,
): Reader {
  let layerIndex = -1;
  const onCommit = (oid: string) => {
    layerIndex = layer.find(Buffer.from(oid, 'hex'));
    reader.at = order.get(layerIndex) ?? reader.at;
    reader.commits += 1;
  };
  const entries = new ChangedEntries(onCommit, (kind, bytes, id, path, end) =>
    index.part.add(layerIndex, bytes.toString('latin1', path, end), kind, bytes, id),
  );
  const reader: Reader = { git, entries, at, commits: 0 };
  return reader;
}

/**
 * Commits whose tree differs from that of their first parent, highest generation first: git reads the newest fastest.
 */
async function changingPlaces(graph: CommitGraph, layer: GraphLayer): Promise<number[]> {
  const generations = Float64Array.from({ length: layer.count }, (_, index) => graph.generation(layer.below + index));
  await setImmediate();
  const order = Uint32Array.from({ length: layer.count }, (_, index) => index);
  order.sort((one, other) => generations[other]! - generations[one]! || one - other);
  const places: number[] = [];
  for (let at = 0; at < order.length; at += 1) {
    if (at % 2_000 === 0) await setImmediate();
    const index = order[at]!;
    const parent = layer.firstParent(index);
    if (parent < 0 || graph.tree(parent) !== layer.tree(index)) places.push(index);
  }
  return places;
}

/** Ids for one of several git processes, which take them in turn. */
function* linesOf(layer: GraphLayer, places: readonly number[], nth: number, count: number): Generator<string> {
  for (let at = nth * LINES; at < places.length; at += count * LINES) {
    yield places
      .slice(at, at + LINES)
      .map((index) => `${layer.oid(index)}\n`)
      .join('');
  }
}

/** Writes an index file part by part. */
class IndexWriter {
  part: PathIndexPart;
  isTooMuch = false;
  readonly #salt: Buffer;
  readonly #file: FileHandle;
  readonly #layer: GraphLayer;
  readonly #firstChanges: number;
  readonly #rows: Buffer[] = [];
  readonly #parts: Part[] = [];
  #at = 0;
  #changes = 0;
  #tableBytes = 0;

  /** @param salt prefix of paths in their keys */
  constructor(file: FileHandle, layer: GraphLayer, salt: Buffer, firstChanges: number) {
    this.#file = file;
    this.#salt = salt;
    this.#firstChanges = firstChanges;
    this.#layer = layer;
    this.part = this.#newPart();
  }

  #newPart(): PathIndexPart {
    const changes = Math.min(PART_CHANGES, this.#firstChanges * 2 ** this.#rows.length);
    return new PathIndexPart(this.#layer.hashBytes, this.#salt, changes);
  }

  /** Index over the parts written so far. @param path of the file */
  unfinished(path: string): PathIndex {
    return PathIndex.unfinished(path, { salt: this.#salt, hashBytes: this.#layer.hashBytes }, [...this.#parts]);
  }

  giveUp(): void {
    this.isTooMuch = true;
  }

  async endPart(): Promise<void> {
    const { size } = this.part;
    const { changes, table, slots } = await this.part.finish();
    this.#changes += size;
    this.#tableBytes += slots * SLOT_BYTES;
    this.isTooMuch ||= this.#changes > MAX_CHANGES || this.#tableBytes > MAX_TABLE_BYTES;
    const row = Buffer.alloc(PART_BYTES);
    const changesAt = await this.#write(changes);
    row.writeUInt32BE(changesAt, 0);
    row.writeUInt32BE(await this.#write(table), 4);
    row.writeUInt32BE(slots, 8);
    row.writeUInt32BE(crc32(table), 12);
    this.#rows.push(row);
    this.#parts.push({ changesAt, table });
    this.part = this.#newPart();
  }

  async end(): Promise<void> {
    if (this.part.size > 0 && !this.isTooMuch) await this.endPart();
    if (this.isTooMuch) await this.#empty();
    const rows = this.isTooMuch ? Buffer.alloc(0) : Buffer.concat(this.#rows);
    const end = Buffer.alloc(END_BYTES);
    MAGIC.copy(end);
    end.writeUInt32BE(this.isTooMuch ? TOO_MANY : this.#rows.length, 8);
    end.writeUInt32BE(this.#layer.count, 12);
    this.#layer.sum.copy(end, 16);
    this.#salt.copy(end, SALT_AT);
    end.writeUInt32BE(crc32(end.subarray(0, -4), crc32(rows)), END_BYTES - 4);
    await this.#write(Buffer.concat([rows, end]));
  }

  async #empty(): Promise<void> {
    await this.#file.truncate();
    this.#at = 0;
  }

  /** @returns the start of the bytes in the file */
  async #write(bytes: Buffer): Promise<number> {
    const at = this.#at;
    await this.#file.write(bytes, 0, bytes.length, at);
    this.#at += bytes.length;
    return at;
  }
}
