import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';

/** Deletes the versions of a deleted state. */
const REMOVE = jobKind<{ state_id: number }>('terraform_states.remove', { lane: 'slow' });
const BATCH_SIZE = 500;

/** Enqueues the removal of a deleted state, with the handle of the transaction that deletes it. */
export async function removeVersions(deps: Deps, db: Db, stateId: number): Promise<void> {
  await deps.jobs.enqueue(db, REMOVE, { state_id: stateId });
}

/** Deletes a batch of versions; the state itself after the last. @returns whether there may be more */
async function removeSome(deps: Deps, db: Db, stateId: number): Promise<boolean> {
  const versions = await db
    .selectFrom('terraform_state_versions')
    .select(['id', 'sha256'])
    .where('terraform_state_id', '=', stateId)
    .limit(BATCH_SIZE)
    .execute();
  if (versions.length === 0) {
    await db.deleteFrom('terraform_states').where('id', '=', stateId).execute();
    return false;
  }
  await db.deleteFrom('terraform_state_versions').where('id', 'in', pluck(versions, 'id')).execute();
  await enqueueBlobRemoval(deps, db, [...new Set(versions.map(({ sha256 }) => sha256))]);
  return true;
}

/** Registers the job of `removeVersions`, and removes the states of deleted projects. */
export function registerTerraformStateRemoval(deps: Deps): void {
  deps.jobs.register(REMOVE, async ({ state_id }, { signal }) => {
    const batch = () => deps.db.transaction().execute((db) => removeSome(deps, db, state_id));
    while (!signal.aborted && (await batch()));
    signal.throwIfAborted();
  });
  deps.lifecycle.projectsRemoved.add(async (db, ids) => {
    if (ids.length === 0) return;
    for (let after = 0; ; ) {
      const versions = await db
        .selectFrom('terraform_state_versions')
        .innerJoin('terraform_states', 'terraform_states.id', 'terraform_state_id')
        .select(['terraform_state_versions.id', 'sha256'])
        .where('project_id', 'in', ids)
        .where('terraform_state_versions.id', '>', after)
        .orderBy('terraform_state_versions.id')
        .limit(BATCH_SIZE)
        .execute();
      await enqueueBlobRemoval(deps, db, [...new Set(versions.map(({ sha256 }) => sha256))]);
      if (versions.length < BATCH_SIZE) return;
      after = versions.at(-1)!.id;
    }
  });
}
