import type { Caller } from '../access/caller.ts';
import { forbidden } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';

/** Mirrors that are set up go on, whatever administrators say then. @throws ApiError 403 where only they set mirrors up */
export function requireMirrorsAvailable({ settings }: Pick<Deps, 'settings'>, caller: Pick<Caller, 'admin'>): void {
  if (!settings.now.mirror_available && !caller.admin) throw forbidden('Only administrators set up mirrors.');
}
