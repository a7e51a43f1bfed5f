import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { GitError } from '../errors.ts';
import { endedWell, startInBackground } from '../in-background.ts';
import { isOwn, removeOthers, writeBeside } from './beside-layers.ts';
import { CHANGED_ENTRIES, ChangedEntries } from './changed-entries.ts';
import type { CommitGraph } from './commit-graph.ts';
import type { GraphLayer } from './layer.ts';
import { loadGraph } from './load.ts';
import {
  END_BYTES,
  MAGIC,
  MAX_CHANGES,
  MAX_PLACES,
  MAX_TABLE_BYTES,
  PART_BYTES,
  SALT_AT,
  SALT_BYTES,
  SLOT_BYTES,
  TOO_MANY,
} from './path-index-format.ts';
import { PathIndexPart } from './path-index-part.ts';

/** So many commits are named to git at once. */
const LINES = 500;

/**
 * Makes the path indexes that layers of a repository's own commit-graph have not yet, and removes the indexes of layers that are gone.
 * To be called by one at a time for a repository.
 * @throws GitError `failed`, `timeout`, `busy`; what the file system throws
 */
export async function writePathIndexes(dir: string): Promise<void> {
  const { graph } = await loadGraph(dir);
  if (graph === null) return;
  for (const layer of graph.layers) {
    if (isOwn(dir, layer) && layer.pathIndex === null) await writeIndex(dir, graph, layer);
  }
  await removeOthers(dir, graph);
}

/** Whether there is something to do for `writePathIndexes`. */
export function lacksPathIndex(dir: string, graph: CommitGraph): boolean {
  return graph.layers.some((layer) => layer.pathIndex === null && isOwn(dir, layer));
}

async function writeIndex(dir: string, graph: CommitGraph, layer: GraphLayer): Promise<void> {
  await writeBeside(layer.pathIndexFile, async (file) => {
    const index = new IndexWriter(file, layer);
    await readChanges(dir, graph, layer, index);
    await index.end();
  });
}

async function readChanges(dir: string, graph: CommitGraph, layer: GraphLayer, index: IndexWriter): Promise<void> {
  if (layer.count > MAX_PLACES) return index.giveUp();
  const places = await changingPlaces(graph, layer);
  if (places.length === 0) return;
  const git = await startInBackground(dir, CHANGED_ENTRIES);
  // Where git ends before it has read all, its exit code tells why.
  const fed = pipeline(linesOf(layer, places), git.stdin).catch(() => {});
  let place = -1;
  let commits = 0;
  const entries = new ChangedEntries(
    (oid) => {
      place = layer.find(Buffer.from(oid, 'hex'));
      commits += 1;
    },
    (kind, bytes, id, path, end) => index.part.add(place, bytes.toString('latin1', path, end), kind, bytes, id),
  );
  try {
    for await (const chunk of git.stdout as AsyncIterable<Buffer>) {
      // A part never ends within a chunk: what it holds beyond its size is one chunk's.
      entries.take(chunk);
      if (index.part.isFull) await index.endPart();
      if (index.isTooMuch) return git.kill();
    }
  } catch (error) {
    git.kill();
    throw error;
  } finally {
    await fed;
  }
  await endedWell(git, 'diff-tree');
  // A commit that cannot be read is passed in silence.
  if (commits !== places.length || !entries.isWhole)
    throw new GitError('failed', 'git diff-tree: an incomplete answer');
}

/** Commits whose tree is not that of their first parent, the newest first, as git reads them quickest. */
async function changingPlaces(graph: CommitGraph, layer: GraphLayer): Promise<number[]> {
  const order = new Float64Array(layer.count);
  for (let place = 0; place < layer.count; place += 1) {
    order[place] = Math.floor(layer.date(place) / 1_024) * MAX_PLACES + place;
  }
  await setImmediate();
  order.sort();
  const places: number[] = [];
  for (let at = order.length - 1; at >= 0; at -= 1) {
    if (at % 2_000 === 0) await setImmediate();
    const place = order[at]! % MAX_PLACES;
    const parent = layer.firstParent(place);
    if (parent < 0 || graph.tree(parent) !== layer.tree(place)) places.push(place);
  }
  return places;
}

function* linesOf(layer: GraphLayer, places: readonly number[]): Generator<string> {
  for (let at = 0; at < places.length; at += LINES) {
    yield places
      .slice(at, at + LINES)
      .map((place) => `${layer.oid(place)}\n`)
      .join('');
  }
}

/** Writes one file, part by part. */
class IndexWriter {
  part: PathIndexPart;
  isTooMuch = false;
  readonly #salt = randomBytes(SALT_BYTES);
  readonly #file: FileHandle;
  readonly #layer: GraphLayer;
  readonly #rows: Buffer[] = [];
  #at = 0;
  #changes = 0;
  #tableBytes = 0;

  constructor(file: FileHandle, layer: GraphLayer) {
    this.#file = file;
    this.#layer = layer;
    this.part = this.#newPart();
  }

  #newPart(): PathIndexPart {
    return new PathIndexPart(this.#layer.hashBytes, this.#salt);
  }

  giveUp(): void {
    this.isTooMuch = true;
  }

  async endPart(): Promise<void> {
    const { size } = this.part;
    const { changes, table, slots } = await this.part.finish();
    this.part = this.#newPart();
    this.#changes += size;
    this.#tableBytes += slots * SLOT_BYTES;
    this.isTooMuch ||= this.#changes > MAX_CHANGES || this.#tableBytes > MAX_TABLE_BYTES;
    const row = Buffer.alloc(PART_BYTES);
    row.writeUInt32BE(await this.#write(changes), 0);
    row.writeUInt32BE(await this.#write(table), 4);
    row.writeUInt32BE(slots, 8);
    row.writeUInt32BE(crc32(table), 12);
    this.#rows.push(row);
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

  /** @returns where it begins */
  async #write(bytes: Buffer): Promise<number> {
    const at = this.#at;
    await this.#file.write(bytes, 0, bytes.length, at);
    this.#at += bytes.length;
    return at;
  }
}
