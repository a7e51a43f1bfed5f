import { refused } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';

type WithSettings = Pick<Deps, 'settings'>;

/** Whether silent mode is on: no mails, webhooks or mirror updates are sent (public documentation, "Silent mode"). */
export const isSilentMode = ({ settings }: WithSettings): boolean => settings.now.silent_mode_enabled;

/** @throws ApiError 422 while silent mode is on */
export function refuseInSilentMode(deps: WithSettings): void {
  if (isSilentMode(deps)) throw refused('Silent mode is on: nothing is sent to other servers.', 422);
}
