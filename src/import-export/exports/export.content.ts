import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import type { ArchivedFile, Piece } from '../relations/relation.ts';

const MIB = 1024 * 1024;
/** Approximate size of text chunks, in characters. */
const PART = 64 * 1024;

/** A written file. */
export interface WrittenContent extends StoredBlob {
  /** Number of objects or files. */
  count: number;
  /** Key of the last object; 0 for none. */
  last: number;
}

async function keep(deps: Deps, source: Readable): Promise<StoredBlob> {
  const { max_export_size } = await applicationSettings(deps);
  const gzip = createGzip();
  const maxBytes = max_export_size === 0 ? Number.MAX_SAFE_INTEGER : max_export_size * MIB;
  const stored = deps.blobs.put(gzip, { maxBytes }).catch((error: unknown) => {
    gzip.destroy();
    throw error;
  });
  const [blob] = await Promise.all([stored, pipeline(source, gzip)]);
  return blob;
}

/**
 * Writes objects to a gzip file in the blob store, one per line.
 * @param limit maximum number of objects
 * @param each called after each object, with its key
 * @throws BlobError `too_large` beyond the maximum export size
 */
export async function writeObjects(
  deps: Deps,
  pieces: AsyncIterator<Piece>,
  limit: number,
  each: (key: number) => Promise<void> | void = () => {},
): Promise<WrittenContent & { ended: boolean }> {
  let [count, last, ended] = [0, 0, false];
  async function* texts(): AsyncGenerator<string> {
    let part = '';
    while (count < limit) {
      const next = await pieces.next();
      if (next.done === true) {
        ended = true;
        break;
      }
      if (typeof next.value === 'number') {
        count += 1;
        last = next.value;
        await each(last);
        continue;
      }
      part += next.value;
      if (part.length < PART) continue;
      yield part;
      part = '';
    }
    if (part !== '') yield part;
  }
  const blob = await keep(deps, Readable.from(texts(), { objectMode: false }));
  return { ...blob, count, last, ended };
}

/**
 * Writes files to a gzipped tar archive.
 * @throws BlobError `too_large` beyond the maximum export size; Error for a file whose content is missing
 */
export async function writeArchive(
  deps: Deps,
  files: AsyncIterable<ArchivedFile>,
  each: () => Promise<void> | void = () => {},
): Promise<WrittenContent> {
  const tar = pack();
  let count = 0;
  const fill = async () => {
    for await (const { name, size, open } of files) {
      const content = await open();
      const entry = tar.entry({ name, size, mode: 0o600, mtime: new Date(0) });
      await pipeline(content instanceof Buffer ? Readable.from([content]) : content, entry);
      count += 1;
      await each();
    }
    tar.finalize();
  };
  const filled = fill().catch((error: unknown) => {
    tar.destroy(error as Error);
    throw error;
  });
  const storedBlob = keep(deps, Readable.from(tar, { objectMode: false })).catch((error: unknown) => {
    tar.destroy();
    throw error;
  });
  const [blob] = await Promise.all([storedBlob, filled]);
  return { ...blob, count, last: 0 };
}
