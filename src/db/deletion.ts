import { type RawBuilder, sql } from 'kysely';
import type { Db } from './db.schema.ts';

/** Sorts after all ids that follow the final slash of a lineage. */
const AFTER = '~';

const within = (column: string, lineage: string): RawBuilder<unknown> =>
  sql`${sql.ref(column)} >= ${lineage} and ${sql.ref(column)} < ${lineage + AFTER}`;

/**
 * Updates `in_deletion` of a group and everything below it: whether it or an ancestor is marked for deletion. In the
 * transaction that marks or restores, which holds the lock of the tree.
 */
export async function propagateDeletion(db: Db, lineage: string): Promise<void> {
  await sql`
    update namespaces set in_deletion = case when exists (
      select 1 from namespaces above where above.marked_for_deletion_on is not null
        and namespaces.lineage >= above.lineage and namespaces.lineage < above.lineage || ${AFTER}
    ) then 1 else 0 end
    where ${within('lineage', lineage)}`.execute(db);
  await sql`
    update projects set in_deletion = case when marked_for_deletion_on is not null then 1 else
      (select n.in_deletion from namespaces n where n.id = projects.namespace_id) end
    where namespace_id in (select n.id from namespaces n where ${within('n.lineage', lineage)})`.execute(db);
}
