import type { Deps } from '../../../deps.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { InvalidImportFile } from '../../../import-export/imports/import.lines.ts';
import { requestExternal } from '../../../outbound/outbound.request.ts';
import { BlockedAddress, parseHttpUrl } from '../../../outbound/outbound.resolve.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { outboundRules } from '../../../settings/outbound-rules.ts';
import { BlobError, type StoredBlob } from '../../../storage/blob-store.ts';

/** Purpose for sealing URLs of archives, which often grant access by themselves. */
export const SOURCE_PURPOSE = 'project_imports.source';
const MIB = 1024 * 1024;
const IDLE_MS = 60_000;

/**
 * Downloads an archive to the blob store. The URL is checked on connection, and redirects are not followed.
 * @param source sealed URL
 * @throws InvalidImportObject, InvalidImportFile for permanent failures; errors of the connection
 */
export async function fetchArchive(deps: Deps, source: string, signal: AbortSignal): Promise<StoredBlob> {
  const address = deps.secrets.open(source, SOURCE_PURPOSE);
  if (address === null) throw new InvalidImportObject('the URL of the archive is invalid');
  const { max_import_remote_file_size: maxMiB } = await applicationSettings(deps);
  try {
    const response = await requestExternal(parseHttpUrl(address), await outboundRules(deps), {
      headers: { accept: '*/*', 'accept-encoding': 'identity' },
      signal,
      idleMs: IDLE_MS,
    });
    try {
      const { statusCode: status = 0 } = response;
      if (status >= 500 || status === 429) throw new Error(`the request for the archive failed with status ${status}`);
      if (status !== 200) throw new InvalidImportObject(`the request for the archive failed with status ${status}`);
      return await deps.blobs.put(response, { maxBytes: maxMiB === 0 ? Number.MAX_SAFE_INTEGER : maxMiB * MIB });
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (error instanceof BlockedAddress) throw new InvalidImportObject(`the URL of the archive ${error.message}`);
    if (error instanceof BlobError && error.code === 'too_large') {
      throw new InvalidImportFile(`The archive is too large (maximum is ${maxMiB} MiB).`);
    }
    throw error;
  }
}
