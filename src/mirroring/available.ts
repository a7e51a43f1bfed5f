import type { Caller } from '../access/caller.ts';
import { forbidden } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';

/**
 * Existing mirrors keep working, whatever the setting.
 * @throws ApiError 403 if only administrators can set up mirrors
 */
export function requireMirrorsAvailable({ settings }: Pick<Deps, 'settings'>, caller: Pick<Caller, 'admin'>): void {
  if (!settings.now.mirror_available && !caller.admin) throw forbidden('Only administrators can set up mirrors.');
}
