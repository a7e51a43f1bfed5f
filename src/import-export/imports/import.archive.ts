import { Readable } from 'node:stream';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { gunzipLimited, InvalidImportFile } from './import.lines.ts';
import { contentOf, tarFiles } from './import.tar.ts';

const MIB = 1024 * 1024;
/** What is taken out of an archive of a group; nothing else in it is looked at. */
export const GROUP_FILES: readonly RegExp[] = [
  /^VERSION$/,
  /^tree\/groups\/\d{1,15}\.json$/,
  /^tree\/groups\/\d{1,15}\/[a-z_]{1,50}\.ndjson$/,
];
/** The same of one of a project. */
export const PROJECT_FILES: readonly RegExp[] = [
  /^VERSION$/,
  /^tree\/project\.json$/,
  /^tree\/project\/[a-z_]{1,50}\.ndjson$/,
  /^project(?:\.wiki)?\.bundle$/,
  /^snippets\/[0-9a-f]{64}\.bundle$/,
  /^lfs-objects\/[0-9a-f]{64}$/,
  /^uploads\/[0-9a-f]{32}\/(?!\.{1,2}$)[^/\\\0-\x1f\x7f]{1,255}$/,
];

/**
 * Takes an archive apart into the blob store: plain files of known names alone, whatever else it holds.
 * @returns the files by their names
 * @throws InvalidImportFile for one that is larger than administrators allow, packed or unpacked, or no archive
 */
export async function unpackArchive(
  deps: Deps,
  archive: StoredBlob,
  known: readonly RegExp[],
): Promise<Map<string, StoredBlob>> {
  const { max_decompressed_archive_size: most } = await applicationSettings(deps);
  const input = await deps.blobs.get(archive.sha256);
  if (input === null) throw new InvalidImportFile('The archive is gone.');
  const limits = { maxBytes: archive.size, maxUnpacked: most === 0 ? Number.MAX_SAFE_INTEGER : most * MIB };
  const files = new Map<string, StoredBlob>();
  try {
    for await (const { name, entry } of tarFiles(gunzipLimited(input, limits))) {
      if (!known.some((pattern) => pattern.test(name))) {
        entry.resume();
        continue;
      }
      const content = Readable.from(contentOf(entry), { objectMode: false });
      files.set(name, await deps.blobs.put(content, { maxBytes: limits.maxUnpacked }));
    }
  } catch (error) {
    await enqueueBlobRemoval(deps, deps.db, [...new Set([...files.values()].map(({ sha256 }) => sha256))]);
    throw error;
  }
  return files;
}
