import type { Caller } from '../../../access/caller.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';

/** Refuses new members from others than administrators, where the settings say so. @throws ApiError 403 */
export function requireInvites({ settings }: Deps, { admin }: Pick<Caller, 'admin'>): void {
  if (settings.now.disable_invite_members && !admin) throw forbidden('Only administrators add members here.');
}
