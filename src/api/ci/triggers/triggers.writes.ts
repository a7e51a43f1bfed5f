import { project, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { randomText, tokenDigest } from '../../../core/core.secrets.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { CiTrigger } from '../../../db/tables/ci-triggers.table.ts';
import type { Deps } from '../../../deps.ts';

const PREFIX = 'glptt-';
/** Maximum number per project. */
const MAX = 1_000;

/** Query for the trigger tokens of a project, oldest first. */
export const triggersOf = (db: Db, projectId: number) =>
  db.selectFrom('ci_triggers').selectAll().where('project_id', '=', projectId).orderBy('id');

/** @throws ApiError 404 */
export async function findTrigger(db: Db, projectId: number, id: number): Promise<CiTrigger> {
  const row = await triggersOf(db, projectId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Trigger');
  return row;
}

/** Creates a trigger token. Its pipelines run as its owner. @throws ApiError 400, 404 */
export async function createTrigger(
  { db, clock }: Deps,
  projectId: number,
  ownerId: number,
  input: { description: string; expires_at?: string | null },
): Promise<CiTrigger> {
  const { description, expires_at = null } = input;
  const now = timestamp(clock);
  if (expires_at !== null && expires_at <= now) throw invalidModel({ expires_at: ['must be in the future'] });
  const token = `${PREFIX}${randomText(40)}`;
  return db.transaction().execute(async (db) => {
    if (!(await lockRow(db, 'projects', projectId))) throw notFound();
    const row = await db
      .insertInto('ci_triggers')
      .values({
        project_id: projectId,
        owner_id: ownerId,
        description,
        token,
        digest: tokenDigest(token),
        expires_at,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const all = await triggersOf(db, projectId)
      .clearSelect()
      .select('id')
      .limit(MAX + 1)
      .execute();
    if (all.length > MAX) throw invalidModel({ base: [`Maximum number of pipeline triggers (${MAX}) exceeded`] });
    await recordTrigger({ clock }, db, 'created', row);
    return row;
  });
}

/** Updates the description of a trigger token. @throws ApiError 404 */
export async function describeTrigger(deps: Deps, id: number, description: string): Promise<CiTrigger> {
  return deps.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('ci_triggers')
      .set({ description, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(() => notFound('Trigger'));
    await recordTrigger(deps, db, 'updated', row);
    return row;
  });
}

/** Deletes a trigger token. */
export async function removeTrigger(deps: Deps, id: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const [deleted] = await db.deleteFrom('ci_triggers').where('id', '=', id).returningAll().execute();
    if (deleted !== undefined) await recordTrigger(deps, db, 'deleted', deleted);
  });
}

const recordTrigger = (
  deps: Pick<Deps, 'clock'>,
  db: Db,
  action: 'created' | 'updated' | 'deleted',
  { id, project_id, description }: CiTrigger,
): Promise<void> =>
  recordAudit(deps, db, {
    name: `pipeline_trigger_${action}`,
    entity: project(project_id),
    target: { id, type: 'Ci::Trigger', details: description },
    message: `Pipeline trigger token was ${action}`,
  });
