import { refused } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';

type WithSettings = Pick<Deps, 'settings'>;

/** Whether nothing is sent to anybody now: no mails, no webhooks, nothing of mirrors (public documentation, "Silent mode"). */
export const isSilentMode = ({ settings }: WithSettings): boolean => settings.now.silent_mode_enabled;

/** @throws ApiError 422 to who wants something sent now */
export function refuseInSilentMode(deps: WithSettings): void {
  if (isSilentMode(deps)) throw refused('Silent mode is on: nothing is sent to other servers.', 422);
}
