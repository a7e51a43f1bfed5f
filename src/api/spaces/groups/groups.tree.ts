import { type RawBuilder, sql } from 'kysely';
import { AFTER_LINEAGE } from '../../../access/access.membership.ts';
import { type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

/** Condition on a `lineage` column: the namespace itself or a descendant. */
const transactionHook = (column: string, lineage: string): RawBuilder<unknown> =>
  sql`${sql.ref(column)} >= ${lineage} and ${sql.ref(column)} < ${lineage + AFTER_LINEAGE}`;

const projectsWithin = (lineage: string): RawBuilder<unknown> =>
  sql`namespace_id in (select n.id from namespaces n where ${transactionHook('n.lineage', lineage)})`;

/**
 * Moves a group to another path or parent: all full paths below it change, and the old ones redirect. Call it in a
 * transaction that has locked the hierarchies.
 * @returns the updated group
 */
export async function moveTree(
  db: Db,
  group: Namespace,
  to: { path: string; parent: Namespace | null; updatedAt: string },
): Promise<Namespace> {
  const fullPath = to.parent === null ? to.path : `${to.parent.full_path}/${to.path}`;
  const lineage = `${to.parent?.lineage ?? '/'}${group.id}/`;
  await rememberPaths(db, group.lineage);
  const rest = (column: string, old: string) => sql`substr(${sql.ref(column)}, ${sql.lit(old.length + 1)})`;
  await sql`
    update projects set full_path = ${fullPath} || ${rest('full_path', group.full_path)}
    where ${projectsWithin(group.lineage)}`.execute(db);
  await sql`
    update namespaces set full_path = ${fullPath} || ${rest('full_path', group.full_path)},
      lineage = ${lineage} || ${rest('lineage', group.lineage)}
    where ${transactionHook('lineage', group.lineage)}`.execute(db);
  const moved = await db
    .updateTable('namespaces')
    .set({ path: to.path, parent_id: to.parent?.id ?? null, updated_at: to.updatedAt })
    .where('id', '=', group.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await deleteRedirects(db, lineage);
  return moved;
}

/** Inserts redirects from the current paths of the group and everything below it. */
async function rememberPaths(db: Db, lineage: string): Promise<void> {
  const latest = sql`on conflict (lower(path)) do update
    set path = excluded.path, source_type = excluded.source_type, source_id = excluded.source_id`;
  await sql`
    insert into redirect_routes (path, source_type, source_id)
    select full_path, 'group', id from namespaces where ${transactionHook('lineage', lineage)} ${latest}`.execute(db);
  await sql`
    insert into redirect_routes (path, source_type, source_id)
    select full_path, 'project', id from projects where ${projectsWithin(lineage)} ${latest}`.execute(db);
}

/** Deletes redirects from paths that the group or its descendants now have. */
export async function deleteRedirects(db: Db, lineage: string): Promise<void> {
  await sql`
    delete from redirect_routes where lower(path) in (
      select lower(n.full_path) from namespaces n where ${transactionHook('n.lineage', lineage)}
      union all
      select lower(p.full_path) from projects p where p.${projectsWithin(lineage)})`.execute(db);
}

/** Maximum number of rows named in a statement. */
const BATCH = 500;

/** Limits the visibility of everything below the group. @returns ids of the projects whose visibility was reduced */
export async function limitVisibilityBelow(db: Db, lineage: string, visibility: Visibility): Promise<number[]> {
  const higher = (['internal', 'public'] as const).filter(
    (each) => visibilityLevel(each) > visibilityLevel(visibility),
  );
  if (higher.length === 0) return [];
  await sql`
    update namespaces set visibility = ${visibility}
    where ${transactionHook('lineage', lineage)} and visibility in (${sql.join(higher)})`.execute(db);
  const { rows } = await sql<{ id: number }>`
    update projects set visibility = ${visibility}
    where ${projectsWithin(lineage)} and visibility in (${sql.join(higher)}) returning id`.execute(db);
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

/** Returns those projects whose fork network extends beyond the group. */
export async function projectsForkedOutside(db: Db, lineage: string, ids: readonly number[]): Promise<number[]> {
  const group: number[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    const { rows } = await sql<{ id: number }>`
      select p.id from projects p
      where p.id in (${sql.join(ids.slice(at, at + BATCH))})
        and exists (
          select 1 from projects o
          where (o.id = coalesce(p.fork_root_id, p.id) or o.fork_root_id = coalesce(p.fork_root_id, p.id))
            and not (o.${projectsWithin(lineage)}))
      order by p.id`.execute(db);
    group.push(...rows.map(({ id }) => id));
  }
  return group;
}
