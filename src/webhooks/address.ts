import type { Deps } from '../deps.ts';
import { BlockedAddress, type OutboundRules, parseHttpUrl } from '../outbound/resolve.ts';
import { outboundRules } from '../settings/outbound-rules.ts';

/** Which servers hooks may reach, as the settings say now. @param system whether the hook is one of the server */
export const hookRules = (deps: Deps, system: boolean): Promise<OutboundRules> =>
  outboundRules(deps, system ? 'system_hooks' : 'others');

/**
 * Reads the address that a hook calls. The server itself belongs to the local network, whatever its name.
 * @throws BlockedAddress
 */
export function hookAddress(deps: Pick<Deps, 'externalUrl'>, text: string, { allowLocalNetwork }: OutboundRules): URL {
  const url = parseHttpUrl(text);
  if (!allowLocalNetwork && url.host.toLowerCase() === new URL(deps.externalUrl()).host.toLowerCase()) {
    throw new BlockedAddress('is blocked: Requests to localhost are not allowed');
  }
  return url;
}
