import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import type { ArchivedFile, Piece } from '../relations/relation.ts';

const MIB = 1024 * 1024;
/** Texts are handed on in parts of about so many characters. */
const PART = 64 * 1024;

/** A file that was written. */
export interface WrittenContent extends StoredBlob {
  /** Objects or files in it. */
  count: number;
  /** Key of the last object; 0 where there is none. */
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
 * Writes objects into one file of the blob store, a line each, packed by gzip.
 * @param limit after so many objects it ends
 * @param each is called after an object, with its key
 * @throws BlobError `too_large` past what administrators allow
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
 * Writes files into a tar archive, packed by gzip.
 * @throws BlobError `too_large` past what administrators allow; Error for a file whose bytes are gone
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
  const kept = keep(deps, Readable.from(tar, { objectMode: false })).catch((error: unknown) => {
    tar.destroy();
    throw error;
  });
  const [blob] = await Promise.all([kept, filled]);
  return { ...blob, count, last: 0 };
}
