import type { Deps } from '../deps.ts';
import { BlockedAddress, type OutboundRules, parseHttpUrl } from '../outbound/outbound.resolve.ts';
import { outboundRules } from '../settings/outbound-rules.ts';

/** Which servers hooks may reach, as the settings say now. @param system whether the hook is one of the server */
export function hookRules(deps: Deps, system: boolean): Promise<OutboundRules> {
  const sender = system ? 'system_hooks' : 'others';
  return deps.recent.get(`web_hook_rules:${sender}`, () => outboundRules(deps, sender));
}

/**
 * Reads the address that a hook calls. The server itself belongs to the local network, whatever its name.
 * @throws BlockedAddress
 */
export function hookAddress(deps: Pick<Deps, 'externalUrl'>, text: string, rules: OutboundRules): URL {
  const { allowLocalNetwork, allowed = [] } = rules;
  const url = parseHttpUrl(text);
  const own = url.host.toLowerCase() === new URL(deps.externalUrl()).host.toLowerCase();
  if (own && !allowLocalNetwork && !allowed.some((each) => [url.host, url.hostname].includes(each))) {
    throw new BlockedAddress('is blocked: Requests to localhost are not allowed');
  }
  return url;
}
