import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BaseContext } from '../../../http/http.route.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { ArchiveError } from '../../../storage/zip/archive-error.ts';

/** Bytes of the metadata in a wheel; of one with more they are had with the wheel alone. */
const MAX_METADATA = 1024 * 1024;
const WHEEL = /^([^-]+-[^-]+)-.+\.whl$/i;

/** What the name of a file has at its end where its metadata are meant (PEP 658). */
export const METADATA = '.metadata';

/**
 * The metadata in a wheel, as they lie in it: what it needs is read there without the rest of it.
 * @returns undefined for what is no wheel, or one that cannot be read
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

/** By which clients know metadata. */
export const metadataDigest = (metadata: Buffer): string => hash('sha256', metadata, 'hex');
