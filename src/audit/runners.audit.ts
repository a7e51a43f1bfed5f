import type { Db } from '../db/db.schema.ts';
import type { CiRunner } from '../db/tables/ci-runners.table.ts';
import type { Deps } from '../deps.ts';
import { type AuditEntity, type AuditEntry, group, INSTANCE, project, recordAudit } from './record.audit.ts';

type RunnerFacts = Pick<CiRunner, 'id' | 'runner_type' | 'group_id' | 'description' | 'short_token'>;
type RunnerAuditEntry = Pick<AuditEntry, 'name' | 'message' | 'more'>;

/** Maximum number of projects of a runner in which a change is recorded. */
const MAX = 100;

/**
 * Records an event of a runner in the transaction: in its group, in each of its projects, or for the instance. The
 * token is never recorded, except for its short form.
 */
export async function recordRunner(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  runner: RunnerFacts,
  entry: RunnerAuditEntry,
): Promise<void> {
  const entities = await runnerEntities(db, runner);
  await recordAudit(
    deps,
    db,
    entities.map((entity) => runnerEntry(runner, entity, entry)),
  );
}

/** The audit entry of a runner event in one entity. */
export const runnerEntry = (
  { id, description, short_token }: RunnerFacts,
  entity: AuditEntity,
  entry: RunnerAuditEntry,
): AuditEntry => ({
  ...entry,
  entity,
  target: { id, type: 'Ci::Runner', details: description || `#${id} (${short_token})` },
});

/** Entities in which events of a runner are recorded. */
export async function runnerEntities(db: Db, { id, runner_type, group_id }: RunnerFacts): Promise<AuditEntity[]> {
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
