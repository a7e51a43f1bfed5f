import type { Deps } from '../../deps.ts';
import { InvalidImportObject } from '../../import-export/imports/coerce-import.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';

/** Supported version of the format (registry facts 7.1). */
const FORMAT = '0.2.4';
const MAX_VERSION = 64;

/** @throws InvalidImportObject for an archive in another format, in the platform's words */
export async function requireFormat(deps: Deps, files: ReadonlyMap<string, StoredBlob>): Promise<void> {
  const file = files.get('VERSION');
  const bytes = file === undefined || file.size > MAX_VERSION ? null : await deps.blobs.read(file.sha256, 0, file.size);
  const version = bytes?.toString().trim() ?? '';
  if (!/^\d+(?:\.\d+){1,3}$/.test(version)) throw new InvalidImportObject('Incorrect VERSION format');
  if (version !== FORMAT)
    throw new InvalidImportObject(`Import version mismatch: Required ${FORMAT} but was ${version}`);
}
