import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { requireStill } from '../../access/standing.ts';
import { project, recordAudit } from '../../audit/record.ts';
import { type Clock, timestamp } from '../../core/clock.ts';
import { randomText } from '../../core/secrets.ts';
import type { Db } from '../../db/schema.ts';
import type { FeatureFlagsClient } from '../../db/tables/feature-flags-clients.ts';
import type { Deps } from '../../deps.ts';
import { invalidRecord } from './model-errors.ts';

const newToken = (): string => `glffct-${randomText(20)}`;

const newClient = (clock: Clock, projectId: number) => ({
  project_id: projectId,
  token: newToken(),
  created_at: timestamp(clock),
});

/** What the programs that ask for a project's flags have in common; made when it is first needed. */
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

/** Notes that the flags of a project change: others who change them wait for the end of the transaction. */
function countChange(db: Db, clock: Clock, projectId: number, columns: { token?: string } = {}) {
  return db
    .insertInto('feature_flags_clients')
    .values({ ...newClient(clock, projectId), ...columns })
    .onConflict((conflict) =>
      conflict
        .column('project_id')
        .doUpdateSet((eb) => ({ version: eb('feature_flags_clients.version', '+', 1), ...columns })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Changes flags or user lists of a project, one change at a time. The rights are looked at once more.
 * @param work gets the handle of the transaction
 * @throws ApiError 401, 403, 404, and what `work` throws
 */
export function changeFlags<T>(
  deps: Deps,
  caller: Caller,
  projectId: number,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  return deps.db.transaction().execute(async (db) => {
    await countChange(db, deps.clock, projectId);
    await requireStill(deps, db, caller, projectId, 'admin_feature_flag');
    return work(db);
  });
}

/** Gives the programs of a project another instance id; the old one is no good any more. @throws ApiError 401, 403, 404 */
export function resetToken(deps: Deps, caller: Caller, projectId: number): Promise<FeatureFlagsClient> {
  return deps.db.transaction().execute(async (db) => {
    const client = await countChange(db, deps.clock, projectId, { token: newToken() });
    await requireStill(deps, db, caller, projectId, 'admin_feature_flag');
    const message = 'Reset the instance id of the feature flags';
    await recordAudit(deps, db, { name: 'feature_flags_client_token_reset', entity: project(projectId), message });
    return client;
  });
}

/** Characters that all flags and user lists of a project may have together: a program asks for all of them at once. */
export const MOST_CHARACTERS = 4 * 1024 * 1024;
/** What each row adds beside its texts. */
const A_ROW = 50;

/**
 * Refuses what makes the flags of a project longer than programs shall have to read; each strategy counts with its user list.
 * @throws ApiError 400
 */
export async function requireRoom(db: Db, projectId: number): Promise<void> {
  const { rows } = await sql<{ size: number | string }>`
    select
      (select coalesce(sum(length(name) + coalesce(length(description), 0) + ${A_ROW}), 0)
        from feature_flags where project_id = ${projectId})
      + (select coalesce(sum(length(name) + length(user_xids) + ${A_ROW}), 0)
        from feature_flag_user_lists where project_id = ${projectId})
      + (select coalesce(sum(length(s.parameters) + coalesce(length(l.user_xids), 0) + ${A_ROW}), 0)
        from feature_flags f
        join feature_flag_strategies s on s.feature_flag_id = f.id
        left join feature_flag_user_lists l on l.id = s.user_list_id
        where f.project_id = ${projectId})
      + (select coalesce(sum(length(c.environment_scope) + ${A_ROW}), 0)
        from feature_flags f
        join feature_flag_strategies s on s.feature_flag_id = f.id
        join feature_flag_scopes c on c.strategy_id = s.id
        where f.project_id = ${projectId}) as size`.execute(db);
  if (Number(rows[0]!.size) <= MOST_CHARACTERS) return;
  throw invalidRecord({
    base: [`Feature flags of the project are too long together (maximum is ${MOST_CHARACTERS} characters)`],
  });
}
