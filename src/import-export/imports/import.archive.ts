import { Readable } from 'node:stream';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { gunzipLimited, InvalidImportFile } from './import.lines.ts';
import { contentOf, tarFiles } from './import.tar.ts';

const MIB = 1024 * 1024;
/** Files to read from a group archive; others are ignored. */
export const GROUP_FILES: readonly RegExp[] = [
  /^VERSION$/,
  /^tree\/groups\/\d{1,15}\.json$/,
  /^tree\/groups\/\d{1,15}\/[a-z_]{1,50}\.ndjson$/,
];
/** Files to read from a project archive; others are ignored. */
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
 * Unpacks an archive into the blob store: only regular files with known names.
 * @returns the files by name
 * @throws InvalidImportFile if it exceeds the maximum size, packed or unpacked, or is not an archive
 */
export async function unpackArchive(
  deps: Deps,
  archive: StoredBlob,
  known: readonly RegExp[],
): Promise<Map<string, StoredBlob>> {
  const { max_decompressed_archive_size: maxSizeMib } = await applicationSettings(deps);
  const input = await deps.blobs.get(archive.sha256);
  if (input === null) throw new InvalidImportFile('The archive no longer exists.');
  const limits = { maxBytes: archive.size, maxUnpacked: maxSizeMib === 0 ? Number.MAX_SAFE_INTEGER : maxSizeMib * MIB };
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
