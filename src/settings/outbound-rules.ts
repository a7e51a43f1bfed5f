import type { OutboundRules } from '../outbound/resolve.ts';
import { applicationSettings, type SettingsDeps } from './application-settings.ts';

/** Which servers elsewhere may be reached, as the settings say now. */
export async function outboundRules(deps: SettingsDeps): Promise<OutboundRules> {
  const { allow_local_requests_from_web_hooks_and_services: allowLocalNetwork } = await applicationSettings(deps);
  return { allowLocalNetwork };
}
