import type { Caller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound, refused, unauthorized } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { TerraformState } from '../../../db/tables/terraform-states.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import type { ReceivedState } from './terraform-states.content.ts';
import { type LockInfo, requireFree, requireLock, storedLock } from './terraform-states.lock.ts';
import { removeVersions } from './terraform-states.removal.ts';

/** Caller, project and state of a write. */
export interface StateWriter {
  caller: Caller;
  projectId: number;
  name: string;
}

interface Writing {
  db: Db;
  /** State, locked until the transaction ends. */
  state: TerraformState;
  user: User;
}

/**
 * Runs work on a state in a transaction that has checked the rights again and locked its row.
 * @param makes whether to create a missing state
 * @throws ApiError 401, 403, 404; errors of `work`
 */
function onState<T>(
  deps: Deps,
  { caller, projectId, name }: StateWriter,
  makes: boolean,
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  return deps.db.transaction().execute(async (db) => {
    const { user } = (await revalidateProjectAbility(deps, db, caller, projectId, 'admin_terraform_state')).caller;
    if (user === null) throw unauthorized();
    const now = timestamp(deps.clock);
    // An update locks the row on both engines.
    const state = makes
      ? await db
          .insertInto('terraform_states')
          .values({ project_id: projectId, name, created_at: now, updated_at: now })
          .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet({ updated_at: now }))
          .returningAll()
          .executeTakeFirst()
      : await db
          .updateTable('terraform_states')
          .set({ updated_at: now })
          .where('project_id', '=', projectId)
          .where('name', '=', name)
          .returningAll()
          .executeTakeFirst();
    if (state === undefined) throw notFound();
    return work({ db, state, user });
  });
}

/**
 * Locks a state.
 * @throws ApiError 409 with the current lock, even if it has the same id: two clients may use the same one
 */
export function lockState(deps: Deps, writer: StateWriter, info: LockInfo): Promise<LockInfo> {
  return onState(deps, writer, true, async ({ db, state, user }) => {
    requireFree(state);
    const now = timestamp(deps.clock);
    await setLock(db, state, { lock_info: storedLock(info, user, now), locked_by_id: user.id, locked_at: now });
    return info;
  });
}

/** Unlocks a state. @param id id of the lock; undefined removes the lock whoever holds it @throws ApiError 404, 409 */
export function unlockState(deps: Deps, writer: StateWriter, id: string | undefined): Promise<void> {
  return onState(deps, writer, false, async ({ db, state }) => {
    if (id !== undefined) requireFree(state, id);
    await setLock(db, state, { lock_info: null, locked_by_id: null, locked_at: null });
  });
}

const setLock = (
  db: Db,
  { id }: TerraformState,
  lock: Pick<TerraformState, 'lock_info' | 'locked_by_id' | 'locked_at'>,
) => db.updateTable('terraform_states').set(lock).where('id', '=', id).execute();

/**
 * Writes a version. Accepts the same bytes under the same serial again, for clients that retry after a lost response.
 * @param lockId id of the lock that the client claims to hold
 * @throws ApiError 409 if the client does not hold the lock, 422 if another version has the serial
 */
export async function writeVersion(
  deps: Deps,
  writer: StateWriter,
  received: ReceivedState,
  lockId: string | undefined,
): Promise<void> {
  const { serial, sha256, size } = received;
  try {
    await onState(deps, writer, true, async ({ db, state, user }) => {
      const same = await db
        .selectFrom('terraform_state_versions')
        .select('sha256')
        .where('terraform_state_id', '=', state.id)
        .where('serial', '=', serial)
        .executeTakeFirst();
      if (same?.sha256 === sha256) return;
      requireLock(state, lockId);
      if (same !== undefined) throw refused(`Serial ${serial} has already been taken by another version`, 422);
      const { credential } = writer.caller;
      await db
        .insertInto('terraform_state_versions')
        .values({
          terraform_state_id: state.id,
          serial,
          sha256,
          size,
          created_by_id: user.id,
          ci_job_id: credential.kind === 'job_token' ? credential.jobId : null,
          created_at: timestamp(deps.clock),
        })
        .execute();
    });
  } catch (error) {
    await enqueueBlobRemoval(deps, deps.db, [sha256]);
    throw error;
  }
}

/** Deletes a state with all its versions. @throws ApiError 404, 409 with the lock if it is locked */
export async function removeState(deps: Deps, writer: StateWriter): Promise<void> {
  const removed = await onState(deps, writer, false, async ({ db, state }) => {
    requireLock(state, undefined);
    // Renamed to a name that cannot be requested; its versions are deleted in the background.
    await db
      .updateTable('terraform_states')
      .set({ name: `/deleted/${state.id}` })
      .where('id', '=', state.id)
      .execute();
    await removeVersions(deps, db, state.id);
  });
  return removed;
}

/** Deletes a version. @throws ApiError 404, 409 with the lock if the state is locked */
export function removeVersion(deps: Deps, writer: StateWriter, serial: number): Promise<void> {
  return onState(deps, writer, false, async ({ db, state }) => {
    requireLock(state, undefined);
    const row = await db
      .deleteFrom('terraform_state_versions')
      .where('terraform_state_id', '=', state.id)
      .where('serial', '=', serial)
      .returning('sha256')
      .executeTakeFirstOrThrow(() => notFound());
    await enqueueBlobRemoval(deps, db, [row.sha256]);
  });
}
