import { type RawBuilder, sql } from 'kysely';
import { AFTER_LINEAGE } from '../../../access/access.membership.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { NamespaceCounts } from './namespaces.views.ts';

/** Pairs of each namespace (`g`) with its descendants (`d`), including itself. */
const trees = (ids: readonly number[]): RawBuilder<unknown> => sql`
  namespaces g join namespaces d on d.lineage >= g.lineage and d.lineage < g.lineage || ${AFTER_LINEAGE}
    and g.id in (${sql.join(ids)})`;

/** Counts members, projects and sizes of namespaces including descendants, with three queries in total. */
export async function countsOf(db: Db, namespaces: readonly Namespace[]): Promise<Map<number, NamespaceCounts>> {
  const counts = new Map<number, NamespaceCounts>(
    namespaces.map(({ id, kind }) => [
      id,
      { members: 0, billable: kind === 'user' ? 1 : 0, projects: 0, repositorySize: 0 },
    ]),
  );
  const ids = [...counts.keys()];
  if (ids.length === 0) return counts;
  await addMembers(db, ids, counts);
  const { rows } = await sql<{ id: number; statistics: string }>`
    select g.id, p.statistics from ${trees(ids)} join projects p on p.namespace_id = d.id`.execute(db);
  for (const { id, statistics } of rows) {
    const count = counts.get(id)!;
    count.projects += 1;
    count.repositorySize += parseJson<{ repository_size?: number }>(statistics).repository_size ?? 0;
  }
  return counts;
}

async function addMembers(db: Db, ids: readonly number[], counts: Map<number, NamespaceCounts>): Promise<void> {
  const ofGroups = sql`
    select g.id, m.user_id from ${trees(ids)} join members m on m.source_type = 'group' and m.source_id = d.id
    where g.kind = 'group'`;
  const ofProjects = sql`
    select g.id, m.user_id from ${trees(ids)} join projects p on p.namespace_id = d.id
    join members m on m.source_type = 'project' and m.source_id = p.id
    where g.kind = 'group'`;
  const distinct = (rows: RawBuilder<unknown>) => sql<{ id: number; count: number }>`
    select r.id, count(distinct r.user_id) as count from (${rows}) r
    join users u on u.id = r.user_id and u.kind = 'human' and u.state = 'active' group by r.id`;
  for (const { id, count } of (await distinct(ofGroups).execute(db)).rows) counts.get(id)!.members = Number(count);
  const everyone = distinct(sql`${ofGroups} union all ${ofProjects}`);
  for (const { id, count } of (await everyone.execute(db)).rows) counts.get(id)!.billable = Number(count);
}
