import type { Deps } from '../deps.ts';
import { BlockedAddress, type OutboundRules, parseHttpUrl } from '../outbound/outbound.resolve.ts';
import { outboundRules } from '../settings/outbound-rules.ts';

/** The current rules for outbound requests of hooks. @param system whether it is a system hook */
export function hookRules(deps: Deps, system: boolean): Promise<OutboundRules> {
  const sender = system ? 'system_hooks' : 'others';
  return deps.recent.get(`web_hook_rules:${sender}`, () => outboundRules(deps, sender));
}

/**
 * Parses and checks the URL of a hook. The server itself counts as part of the local network.
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
