import { type Static, Type } from 'typebox';
import { ApiError } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { TerraformState } from '../../../db/tables/terraform-states.table.ts';
import type { User } from '../../../db/tables/users.table.ts';

const text = (description: string, example: string) =>
  Type.String({ maxLength: 4_096, description, examples: [example] });

/** What Terraform tells of a lock. */
export const LockInfo = Type.Object({
  ID: text('What the lock is known by.', '7c1f7a3e-5a0b-4a55-8c3a-6a3a3f6a2f10'),
  Operation: text('What it is held for.', 'OperationTypeApply'),
  Info: text('What else there is to know.', ''),
  Who: text('Who holds it: as it is sent, user and machine; in answers the name of the user.', 'ann@laptop'),
  Version: text('Version of Terraform.', '1.9.5'),
  Created: text('Since when.', '2026-03-01T09:30:00.000000Z'),
  Path: text('What else Terraform calls the state.', ''),
});
export type LockInfo = Static<typeof LockInfo>;

/** The lock as it is stored: as its holder sent it, with the name of the user and the time of the server. */
export const storedLock = (info: LockInfo, user: Pick<User, 'username'>, now: string): string =>
  JSON.stringify({ ...info, Who: user.username, Created: now });

/** The lock that is held, or null. */
export const heldLock = ({ lock_info }: Pick<TerraformState, 'lock_info'>): LockInfo | null =>
  lock_info === null ? null : parseJson<LockInfo>(lock_info);

const locked = (lock: LockInfo | null): ApiError =>
  lock === null
    ? new ApiError(409, 'The state is not locked any more: lock it again before it is written')
    : new ApiError(409, `The state is locked by ${lock.Who} since ${lock.Created}`, lock);

/**
 * Refuses whoever does not hold the lock, or holds one that was taken from them.
 * @param id of the lock that they say they hold; undefined for none
 * @throws ApiError 409 with the lock that is held
 */
export function requireLock(state: Pick<TerraformState, 'lock_info'>, id: string | undefined): void {
  const held = heldLock(state);
  if (held?.ID !== id) throw locked(held);
}

/** @param id of the lock that may be held @throws ApiError 409 with the lock that is held, where it is another one */
export function requireFree(state: Pick<TerraformState, 'lock_info'>, id?: string): void {
  const held = heldLock(state);
  if (held !== null && held.ID !== id) throw locked(held);
}
