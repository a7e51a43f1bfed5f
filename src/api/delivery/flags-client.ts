import type { Caller } from '../../access/caller.ts';
import { revalidateProjectAbility } from '../../access/caller-in-project.ts';
import { project, recordAudit } from '../../audit/record.audit.ts';
import type { Db } from '../../db/db.schema.ts';
import type { FeatureFlagsClient } from '../../db/tables/feature-flags-clients.table.ts';
import type { Deps } from '../../deps.ts';
import { countChange, newClient, newToken } from '../../feature-flags/client.ts';
import { isTooLong, MAX_CHARACTERS } from '../../feature-flags/size-limit.ts';
import { invalidRecord } from './model-errors.ts';

/** Returns the flags client of a project, creating it on first use. */
export async function flagsClient({ db, clock }: Deps, projectId: number): Promise<FeatureFlagsClient> {
  const client = () => db.selectFrom('feature_flags_clients').selectAll().where('project_id', '=', projectId);
  const known = await client().executeTakeFirst();
  if (known !== undefined) return known;
  await db
    .insertInto('feature_flags_clients')
    .values(newClient(clock, projectId))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return client().executeTakeFirstOrThrow();
}

/**
 * Changes flags or user lists of a project, one change at a time, after checking the rights again.
 * @param work gets the handle of the transaction
 * @throws ApiError 401, 403, 404, and errors of `work`
 */
export function changeFlags<T>(
  deps: Deps,
  caller: Caller,
  projectId: number,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  return deps.db.transaction().execute(async (db) => {
    await countChange(db, deps.clock, projectId);
    await revalidateProjectAbility(deps, db, caller, projectId, 'admin_feature_flag');
    return work(db);
  });
}

/** Replaces the instance id of a project; the previous one is no longer accepted. @throws ApiError 401, 403, 404 */
export function resetToken(deps: Deps, caller: Caller, projectId: number): Promise<FeatureFlagsClient> {
  return deps.db.transaction().execute(async (db) => {
    const client = await countChange(db, deps.clock, projectId, { token: newToken() });
    await revalidateProjectAbility(deps, db, caller, projectId, 'admin_feature_flag');
    const message = 'Reset the instance id of the feature flags';
    await recordAudit(deps, db, { name: 'feature_flags_client_token_reset', entity: project(projectId), message });
    return client;
  });
}

/** Limits the total size of the flags of a project, which clients have to read. @throws ApiError 400 */
export async function requireWithinSizeLimit(db: Db, projectId: number): Promise<void> {
  if (!(await isTooLong(db, projectId))) return;
  throw invalidRecord({
    base: [`Feature flags of the project are too long together (maximum is ${MAX_CHARACTERS} characters)`],
  });
}
