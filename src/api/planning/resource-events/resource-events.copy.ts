import { sql } from 'kysely';
import { lineageIds } from '../../../access/access.membership.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

const BATCH = 200;

/** Labels or milestones of the destination with the same names, by ids of those of the source. */
async function counterparts(
  db: Db,
  table: 'labels' | 'milestones',
  ids: readonly number[],
  projectId: number,
  groupIds: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const name = sql.ref(table === 'labels' ? 'name' : 'title');
  const { rows } = await sql<{ here: number; there: number }>`
    select a.id as here, b.id as there from ${sql.table(table)} a join ${sql.table(table)} b on b.${name} = a.${name}
    where a.id in (${sql.join(ids)}) and (b.project_id = ${projectId} or b.group_id in (${sql.join(groupIds)}))
    order by b.id desc`.execute(db);
  return new Map(rows.map(({ here, there }) => [here, there]));
}

/**
 * Replaces the resource events of a moved issue by those of the original. Labels and milestones become those of the
 * same name in the destination, or null.
 */
export async function moveResourceEvents(
  db: Db,
  issue: Issue,
  moved: Issue,
  namespace: Pick<Namespace, 'lineage'>,
): Promise<void> {
  await db
    .deleteFrom('resource_events')
    .where('issuable_type', '=', 'Issue')
    .where('issuable_id', '=', moved.id)
    .execute();
  const events = await db
    .selectFrom('resource_events')
    .selectAll()
    .where('issuable_type', '=', 'Issue')
    .where('issuable_id', '=', issue.id)
    .orderBy('id')
    .execute();
  const idsIn = (column: 'label_id' | 'milestone_id') => [...new Set(events.flatMap((event) => event[column] ?? []))];
  const groups = lineageIds(namespace.lineage);
  const labels = await counterparts(db, 'labels', idsIn('label_id'), moved.project_id, groups);
  const milestones = await counterparts(db, 'milestones', idsIn('milestone_id'), moved.project_id, groups);
  for (let at = 0; at < events.length; at += BATCH) {
    const rows = events.slice(at, at + BATCH).map(({ id: _, ...event }) => ({
      ...event,
      issuable_id: moved.id,
      project_id: moved.project_id,
      label_id: labels.get(event.label_id ?? 0) ?? null,
      milestone_id: milestones.get(event.milestone_id ?? 0) ?? null,
    }));
    await db.insertInto('resource_events').values(rows).execute();
  }
}
