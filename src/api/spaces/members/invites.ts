import type { Caller } from '../../../access/caller.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';

/** Lets only administrators add members if the settings say so. @throws ApiError 403 */
export function requireInvites({ settings }: Deps, { admin }: Pick<Caller, 'admin'>): void {
  if (settings.now.disable_invite_members && !admin)
    throw forbidden('Only administrators can add members on this server.');
}
