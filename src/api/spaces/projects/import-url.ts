import { forbidden, invalidModel } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { checkRemote } from '../../../mirroring/mirroring.address.ts';
import { BlockedAddress } from '../../../outbound/outbound.resolve.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';

/**
 * Refuses an address that the server would not import from.
 * @returns the address as it is stored
 * @throws ApiError 403 where administrators allow no imports by URL, 422
 */
export async function checkImportUrl(deps: Deps, address: string): Promise<string> {
  if (!(await applicationSettings(deps)).import_sources.includes('git')) throw forbidden();
  try {
    return await checkRemote(deps, address);
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalidModel({ import_url: [error.message] }, 422);
    throw error;
  }
}
