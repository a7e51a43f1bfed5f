import { forbidden, invalidModel } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { checkRemote } from '../../../mirroring/mirroring.address.ts';
import { BlockedAddress } from '../../../outbound/outbound.resolve.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';

/**
 * Refuses URLs that the server must not import from.
 * @returns the URL to store
 * @throws ApiError 403 if imports by URL are disabled, 422
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
