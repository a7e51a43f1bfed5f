import type { Db } from '../db/db.schema.ts';
import type { CiRunner } from '../db/tables/ci-runners.table.ts';
import type { Deps } from '../deps.ts';
import { type AuditEntity, type AuditEntry, group, INSTANCE, project, recordAudit } from './record.audit.ts';

type RunnerFacts = Pick<CiRunner, 'id' | 'runner_type' | 'group_id' | 'description' | 'short_token'>;
type RunnerAuditEntry = Pick<AuditEntry, 'name' | 'message' | 'more'>;

/** Most projects of one runner in which a change of it is told. */
const MAX = 100;

/**
 * Records what happened to a runner, with the handle of the transaction: in its group, in each of
 * its projects, or for the server. Its token is never told, but for the letters by which it is known.
 */
export async function recordRunner(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  runner: RunnerFacts,
  entry: RunnerAuditEntry,
): Promise<void> {
  const entities = await runnerPlaces(db, runner);
  await recordAudit(
    deps,
    db,
    entities.map((entity) => runnerEntry(runner, entity, entry)),
  );
}

/** The entry of what happened to a runner in one place. */
export const runnerEntry = (
  { id, description, short_token }: RunnerFacts,
  entity: AuditEntity,
  entry: RunnerAuditEntry,
): AuditEntry => ({
  ...entry,
  entity,
  target: { id, type: 'Ci::Runner', details: description || `#${id} (${short_token})` },
});

/** Where something that happens to a runner is told. */
export async function runnerPlaces(db: Db, { id, runner_type, group_id }: RunnerFacts): Promise<AuditEntity[]> {
  if (runner_type === 'instance_type') return [INSTANCE];
  if (runner_type === 'group_type') return group_id === null ? [] : [group(group_id)];
  const rows = await db
    .selectFrom('ci_runner_projects')
    .select('project_id')
    .where('runner_id', '=', id)
    .orderBy('created_at')
    .orderBy('project_id')
    .limit(MAX)
    .execute();
  return rows.map(({ project_id }) => project(project_id));
}
