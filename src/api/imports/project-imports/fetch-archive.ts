import type { Deps } from '../../../deps.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { InvalidImportFile } from '../../../import-export/imports/import.lines.ts';
import { requestExternal } from '../../../outbound/outbound.request.ts';
import { BlockedAddress, parseHttpUrl } from '../../../outbound/outbound.resolve.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { outboundRules } from '../../../settings/outbound-rules.ts';
import { BlobError, type StoredBlob } from '../../../storage/blob-store.ts';

/** What addresses of archives are sealed for: whoever has one can read there. */
export const SOURCE_PURPOSE = 'project_imports.source';
const MIB = 1024 * 1024;
const IDLE_MS = 60_000;

/**
 * Fetches an archive into the blob store. Its address is checked when it is connected to, and no redirect is followed.
 * @param source the address, sealed
 * @throws InvalidImportObject, InvalidImportFile for what no other attempt can get; what the connection fails with
 */
export async function fetchArchive(deps: Deps, source: string, signal: AbortSignal): Promise<StoredBlob> {
  const address = deps.secrets.open(source, SOURCE_PURPOSE);
  if (address === null) throw new InvalidImportObject('the address of the archive cannot be read');
  const { max_import_remote_file_size: most } = await applicationSettings(deps);
  try {
    const response = await requestExternal(parseHttpUrl(address), await outboundRules(deps), {
      headers: { accept: '*/*', 'accept-encoding': 'identity' },
      signal,
      idleMs: IDLE_MS,
    });
    try {
      const { statusCode: status = 0 } = response;
      if (status >= 500 || status === 429) throw new Error(`the archive is answered with status ${status}`);
      if (status !== 200) throw new InvalidImportObject(`the archive is answered with status ${status}`);
      return await deps.blobs.put(response, { maxBytes: most === 0 ? Number.MAX_SAFE_INTEGER : most * MIB });
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (error instanceof BlockedAddress) throw new InvalidImportObject(`the address of the archive ${error.message}`);
    if (error instanceof BlobError && error.code === 'too_large') {
      throw new InvalidImportFile(`The archive has more than ${most} MiB.`);
    }
    throw error;
  }
}
