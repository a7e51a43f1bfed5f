import { refused } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { BlockedAddress, parseHttpUrl, resolveExternal } from '../../outbound/outbound.resolve.ts';
import { outboundRules } from '../../settings/outbound-rules.ts';

/**
 * Refuses a URL that the server must not connect to; it is checked again on connection.
 * @param name name of the parameter
 * @throws ApiError 400
 */
export async function requireExternalAddress(deps: Deps, address: string, name: string): Promise<void> {
  try {
    await resolveExternal(parseHttpUrl(address), await outboundRules(deps));
  } catch (error) {
    if (error instanceof BlockedAddress) throw refused(`${name} ${error.message}`);
    throw error;
  }
}
