import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BaseContext } from '../../../http/http.route.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { ArchiveError } from '../../../storage/zip/archive-error.ts';

/** Maximum size of separately served metadata in bytes. */
const MAX_METADATA = 1024 * 1024;
const WHEEL = /^([^-]+-[^-]+)-.+\.whl$/i;

/** Suffix of the URL of metadata (PEP 658). */
export const METADATA = '.metadata';

/**
 * Reads the metadata in a wheel, unchanged: clients read dependencies without downloading the wheel.
 * @returns undefined if the file is not a wheel, or cannot be read
 */
export async function wheelMetadata(c: BaseContext, wheel: StoredBlob, fileName: string): Promise<Buffer | undefined> {
  const [, stem] = WHEEL.exec(fileName) ?? [];
  if (stem === undefined) return undefined;
  const { archives } = c.deps;
  try {
    const directory = await archives.directory(wheel);
    const entry = directory.find(`${stem}.dist-info/METADATA`);
    if (entry?.type !== 'file' || entry.size > MAX_METADATA) return undefined;
    await c.hold(entry.size);
    return await buffer(await archives.open(wheel, directory, entry));
  } catch (error) {
    if (error instanceof ArchiveError) return undefined;
    throw error;
  }
}

/** Digest of metadata in links. */
export const metadataDigest = (metadata: Buffer): string => hash('sha256', metadata, 'hex');
