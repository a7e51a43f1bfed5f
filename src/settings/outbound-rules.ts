import type { OutboundRules } from '../outbound/outbound.resolve.ts';
import { applicationSettings, type SettingsDeps } from './application-settings.ts';

/** Sender of an outgoing request: system hooks have a setting of their own. */
export type OutboundSender = 'system_hooks' | 'others';

/** Which other servers may be reached under the current settings. */
export async function outboundRules(deps: SettingsDeps, sender: OutboundSender = 'others'): Promise<OutboundRules> {
  const settings = await applicationSettings(deps);
  return {
    allowLocalNetwork:
      sender === 'system_hooks'
        ? settings.allow_local_requests_from_system_hooks
        : settings.allow_local_requests_from_web_hooks_and_services,
    allowed: settings.outbound_local_requests_whitelist,
    silent: settings.silent_mode_enabled,
    captured: deps.config.bench?.outbound === 'capture',
  };
}
