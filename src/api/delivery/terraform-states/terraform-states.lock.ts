import { type Static, Type } from 'typebox';
import { ApiError } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { TerraformState } from '../../../db/tables/terraform-states.table.ts';
import type { User } from '../../../db/tables/users.table.ts';

const text = (description: string, example: string) =>
  Type.String({ maxLength: 4_096, description, examples: [example] });

/** Lock as sent by Terraform. */
export const LockInfo = Type.Object({
  ID: text('Id of the lock.', '7c1f7a3e-5a0b-4a55-8c3a-6a3a3f6a2f10'),
  Operation: text('Operation that holds the lock.', 'OperationTypeApply'),
  Info: text('Further information from Terraform.', ''),
  Who: text('Holder of the lock: user and machine in requests, the user name in responses.', 'ann@laptop'),
  Version: text('Version of Terraform.', '1.9.5'),
  Created: text('When the lock was acquired.', '2026-03-01T09:30:00.000000Z'),
  Path: text('Path of the state as Terraform names it.', ''),
});
export type LockInfo = Static<typeof LockInfo>;

/** Converts a lock for storage: as sent by its holder, with the name of the user and the time of the server. */
export const storedLock = (info: LockInfo, user: Pick<User, 'username'>, now: string): string =>
  JSON.stringify({ ...info, Who: user.username, Created: now });

/** Returns the current lock, or null. */
export const heldLock = ({ lock_info }: Pick<TerraformState, 'lock_info'>): LockInfo | null =>
  lock_info === null ? null : parseJson<LockInfo>(lock_info);

const locked = (lock: LockInfo | null): ApiError =>
  lock === null
    ? new ApiError(409, 'The state is no longer locked: lock it again before writing')
    : new ApiError(409, `The state has been locked by ${lock.Who} since ${lock.Created}`, lock);

/**
 * Refuses clients that do not hold the lock, or whose lock was removed.
 * @param id id of the lock that the client claims to hold; undefined for none
 * @throws ApiError 409 with the current lock
 */
export function requireLock(state: Pick<TerraformState, 'lock_info'>, id: string | undefined): void {
  const held = heldLock(state);
  if (held?.ID !== id) throw locked(held);
}

/** @param id id of a lock that is accepted @throws ApiError 409 with the current lock, if it is another one */
export function requireFree(state: Pick<TerraformState, 'lock_info'>, id?: string): void {
  const held = heldLock(state);
  if (held !== null && held.ID !== id) throw locked(held);
}
