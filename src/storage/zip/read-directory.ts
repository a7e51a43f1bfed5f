import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl';
import type { BlobStore, StoredBlob } from '../blob-store.ts';
import { ArchiveError } from './archive-error.ts';
import { BlobReader } from './blob-reader.ts';
import { ArchiveDirectory, type EntryColumns } from './directory.ts';
import { SLICE, sortInSlices } from './slices.ts';

/** Entries of an archive, directories that only paths name among them. */
export const MAX_ENTRIES = 200_000;
/** Bytes of the directory of an archive. */
const MAX_DIRECTORY = 32 * 1024 * 1024;
const MAX_PATH = 4_096;
const LOCAL_HEADER = 30;
const ENCRYPTED = 1;
/** In place of the way of packing: not to be read. */
const UNREADABLE = 0xffff;
/** What no path inside a folder looks like. */
const STRANGE = /^\.{0,2}\/|\/\.{0,2}\/|\/\.\.$|^\.{1,2}$|\0/;

const malformed = (text: string) => new ArchiveError('malformed', text);
const tooLarge = (text: string) => new ArchiveError('too_large', text);

/**
 * Reads what is in a zip archive: its directory alone, without unpacking anything, and a little at a time. Entries with
 * paths that lead out of a folder are left out.
 * @throws ArchiveError for what is no zip archive, contradicts itself, or is larger than is read
 */
export async function readDirectory(blobs: BlobStore, { sha256, size }: StoredBlob): Promise<ArchiveDirectory> {
  try {
    const reader = new BlobReader(blobs, sha256, size);
    const zip = await fromRandomAccessReaderPromise(reader, size, { decodeStrings: false, autoClose: false });
    return await collect(zip, size);
  } catch (error) {
    if (error instanceof ArchiveError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw malformed((error as Error).message);
  }
}

async function collect(zip: ZipFile, size: number): Promise<ArchiveDirectory> {
  if (zip.entryCount > MAX_ENTRIES) throw tooLarge(`more than ${MAX_ENTRIES} entries`);
  const dataEnd = Number(zip.readEntryCursor);
  const taken = new Taken(zip.entryCount);
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    bytes += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (bytes > MAX_DIRECTORY) throw tooLarge('a directory of too many bytes');
    if (dataEnd + bytes > size) throw malformed('the directory is cut off');
    taken.add(entry);
    if (zip.entriesRead % SLICE === 0) await nextTurn();
  }
  await checkOverlaps(taken.offsets, taken.packedSizes, taken.count, dataEnd);
  const columns = await withParents(taken);
  const { paths } = columns;
  const order = await sortInSlices(indices(paths.length), (a, b) =>
    paths[a]! < paths[b]! ? -1 : paths[a]! > paths[b]! ? 1 : a - b,
  );
  return new ArchiveDirectory(columns, order, dataEnd);
}

const indices = (length: number) => Uint32Array.from({ length }, (_, at) => at);

/** The entries as they come. */
class Taken {
  count = 0;
  /** Null for one that is left out, but takes its place in the archive. */
  readonly paths: (string | null)[] = [];
  readonly sizes: Float64Array;
  readonly packedSizes: Float64Array;
  readonly offsets: Float64Array;
  readonly crcs: Uint32Array;
  readonly modes: Uint16Array;
  readonly methods: Uint16Array;

  constructor(length: number) {
    this.sizes = new Float64Array(length);
    this.packedSizes = new Float64Array(length);
    this.offsets = new Float64Array(length);
    this.crcs = new Uint32Array(length);
    this.modes = new Uint16Array(length);
    this.methods = new Uint16Array(length);
  }

  add(entry: Entry): void {
    const at = this.count++;
    this.paths.push(pathOf(entry));
    this.sizes[at] = entry.uncompressedSize;
    this.packedSizes[at] = entry.compressedSize;
    this.offsets[at] = entry.relativeOffsetOfLocalHeader;
    this.crcs[at] = entry.crc32;
    this.modes[at] = entry.versionMadeBy >> 8 === 3 ? entry.externalFileAttributes >>> 16 : 0;
    this.methods[at] = entry.generalPurposeBitFlag & ENCRYPTED ? UNREADABLE : entry.compressionMethod;
  }
}

/** The path of an entry; null where it is none that could stand in a folder. */
function pathOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string | null {
  if (fileNameRaw.length === 0 || fileNameRaw.length > MAX_PATH) return null;
  const path = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
  if (path === '' || path.length > MAX_PATH || STRANGE.test(path) || validateFileName(path) !== null) return null;
  return path;
}

/** No two entries may share bytes: that is how a small archive holds more than it could. @throws ArchiveError */
async function checkOverlaps(
  offsets: Float64Array,
  packedSizes: Float64Array,
  count: number,
  dataEnd: number,
): Promise<void> {
  const order = await sortInSlices(indices(count), (a, b) => offsets[a]! - offsets[b]!);
  let end = 0;
  for (const at of order) {
    if (offsets[at]! < end) throw malformed('entries overlap');
    end = offsets[at]! + LOCAL_HEADER + packedSizes[at]!;
  }
  if (end > dataEnd) throw malformed('an entry reaches into the directory');
}

/** Adds the directories that no entry stands for, and leaves out what has no path. */
async function withParents(taken: Taken): Promise<EntryColumns> {
  const places: number[] = [];
  const paths: string[] = [];
  const known = new Set<string>();
  const missing = new Set<string>();
  for (const [at, path] of taken.paths.entries()) {
    if (at % SLICE === 0) await nextTurn();
    if (path === null) continue;
    places.push(at);
    paths.push(path);
    if (path.endsWith('/')) known.add(path);
    for (let slash = path.lastIndexOf('/', path.length - 2); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const parent = path.slice(0, slash + 1);
      if (missing.has(parent)) break;
      missing.add(parent);
      if (paths.length + missing.size > MAX_ENTRIES) throw tooLarge(`more than ${MAX_ENTRIES} entries`);
    }
  }
  for (const path of missing) if (!known.has(path)) paths.push(path);
  const pick = <T extends Float64Array | Uint32Array | Uint16Array>(column: T, empty: T): T => {
    for (const [at, place] of places.entries()) empty[at] = column[place]!;
    return empty;
  };
  const { length } = paths;
  return {
    paths,
    sizes: pick(taken.sizes, new Float64Array(length)),
    packedSizes: pick(taken.packedSizes, new Float64Array(length)),
    offsets: pick(taken.offsets, new Float64Array(length)),
    crcs: pick(taken.crcs, new Uint32Array(length)),
    modes: pick(taken.modes, new Uint16Array(length)),
    methods: pick(taken.methods, new Uint16Array(length)),
  };
}
