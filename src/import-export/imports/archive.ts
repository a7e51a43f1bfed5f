import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, extract } from 'tar-stream';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { UnfitFile, unpacked } from './lines.ts';

const MIB = 1024 * 1024;
const MAX_ENTRIES = 200_000;
/** What is taken out of an archive; nothing else in it is looked at. */
const KNOWN = [
  /^VERSION$/,
  /^tree\/project\.json$/,
  /^tree\/project\/[a-z_]{1,50}\.ndjson$/,
  /^project\.bundle$/,
  /^lfs-objects\/[0-9a-f]{64}$/,
  /^uploads\/[0-9a-f]{32}\/(?!\.{1,2}$)[^/\\\0-\x1f\x7f]{1,255}$/,
];

/**
 * Takes an archive apart into the blob store: plain files of known names alone, whatever else it holds.
 * @returns the files by their names
 * @throws UnfitFile for one that is larger than administrators allow, packed or unpacked, or no archive
 */
export async function takeApart(deps: Deps, archive: StoredBlob): Promise<Map<string, StoredBlob>> {
  const { max_decompressed_archive_size: most } = await applicationSettings(deps);
  const input = await deps.blobs.get(archive.sha256);
  if (input === null) throw new UnfitFile('The archive is gone.');
  const limits = { maxBytes: archive.size, maxUnpacked: most === 0 ? Number.MAX_SAFE_INTEGER : most * MIB };
  const reading = extract();
  const fed = pipeline(unpacked(input, limits), reading);
  // Told where it is waited for.
  fed.catch(() => {});
  const files = new Map<string, StoredBlob>();
  let entries = 0;
  try {
    for await (const entry of reading as AsyncIterable<Entry>) {
      entries += 1;
      if (entries > MAX_ENTRIES) throw new UnfitFile(`The archive has more than ${MAX_ENTRIES} files.`);
      const name = entry.header.name.replace(/^\.\//, '');
      if (entry.header.type !== 'file' || !KNOWN.some((pattern) => pattern.test(name))) {
        entry.resume();
        continue;
      }
      const content = Readable.from(entry as AsyncIterable<Buffer>, { objectMode: false });
      files.set(name, await deps.blobs.put(content, { maxBytes: limits.maxUnpacked }));
    }
    await fed;
  } catch (error) {
    if (error instanceof Error && /tar|Unexpected end|Invalid/i.test(error.message))
      throw new UnfitFile('The file is no archive of a project.');
    throw error;
  }
  return files;
}
