import { setImmediate as nextTurn } from 'node:timers/promises';
import { fromRandomAccessReaderPromise } from 'yauzl';
import { copyBytes } from '../../core/detached-copy.ts';
import type { BlobStore, StoredBlob } from '../blob-store.ts';
import { ArchiveError } from './archive-error.ts';
import { BlobReader } from './blob-reader.ts';
import { ArchiveDirectory, MAX_ENTRIES, tooManyEntries } from './directory.ts';
import { indices, SLICE, sortInSlices } from './slices.ts';
import { Entries } from './zip.entries.ts';

/** Maximum size of the central directory in bytes. */
const MAX_DIRECTORY = 32 * 1024 * 1024;
const LOCAL_HEADER = 30;

const malformed = (text: string) => new ArchiveError('malformed', text);

/**
 * Reads the central directory of a zip archive in slices, without unpacking anything. Entries with paths outside the
 * archive's folder are omitted. yauzl finds the directory.
 * @throws ArchiveError if it is not a zip archive, contradicts itself, or exceeds the limits
 */
export async function readDirectory(blobs: BlobStore, { sha256, size }: StoredBlob): Promise<ArchiveDirectory> {
  try {
    const reader = new BlobReader(blobs, sha256, size);
    const zip = await fromRandomAccessReaderPromise(reader, size, { decodeStrings: false, autoClose: false });
    const [start, count] = [Number(zip.readEntryCursor), zip.entryCount];
    if (count > MAX_ENTRIES) throw tooManyEntries();
    if (start > size) throw malformed('the directory is truncated');
    if (size - start > MAX_DIRECTORY) throw new ArchiveError('too_large', 'the directory is too large');
    const entries = new Entries(copyBytes(await reader.bytes(start, size - start)), count);
    await check(entries, start);
    return new ArchiveDirectory(entries, start);
  } catch (error) {
    if (error instanceof ArchiveError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw malformed((error as Error).message);
  }
}

/**
 * Checks the entries. No two may share bytes, because overlapping entries can expand without limit. @throws
 * ArchiveError
 */
async function check(entries: Entries, dataEnd: number): Promise<void> {
  const offsets = new Float64Array(entries.count);
  const packed = new Float64Array(entries.count);
  for (let index = 0, start = 0; index < entries.count; index += SLICE) {
    if (index > 0) await nextTurn();
    start = entries.enter(index, Math.min(index + SLICE, entries.count), start, offsets, packed);
  }
  const sorted = await inOrder(offsets);
  let end = 0;
  for (let at = 0; at < offsets.length; at += 1) {
    const index = sorted === null ? at : sorted[at]!;
    if (offsets[index]! < end) throw malformed('entries overlap');
    end = offsets[index]! + LOCAL_HEADER + packed[index]!;
  }
  if (end > dataEnd) throw malformed('an entry overlaps the directory');
}

/** The order of the offsets; null if they are sorted, as in most archives. */
async function inOrder(offsets: Float64Array): Promise<Uint32Array | null> {
  let at = 1;
  while (at < offsets.length && offsets[at]! >= offsets[at - 1]!) at += 1;
  if (at >= offsets.length) return null;
  return sortInSlices(indices(offsets.length), (a, b) => offsets[a]! - offsets[b]!);
}
