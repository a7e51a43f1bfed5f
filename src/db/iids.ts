import type { Db } from './db.schema.ts';
import type { InternalIdsTable } from './tables/internal-ids.table.ts';

type Scope = Pick<InternalIdsTable, 'source_type' | 'source_id' | 'usage'>;

/**
 * The next number (`iid`) in a project or group, without gaps and races. Other callers wait for the end of the
 * transaction; a rollback also returns the number.
 * @param requested a number to use instead; the next one follows the highest
 */
export async function nextIid(db: Db, scope: Scope, requested?: number): Promise<number> {
  const { last_value } = await db
    .insertInto('internal_ids')
    .values({ ...scope, last_value: requested ?? 1 })
    .onConflict((conflict) =>
      conflict.columns(['source_type', 'source_id', 'usage']).doUpdateSet((eb) => ({
        last_value:
          requested === undefined
            ? eb('internal_ids.last_value', '+', 1)
            : eb
                .case()
                .when('internal_ids.last_value', '>', requested)
                .then(eb.ref('internal_ids.last_value'))
                .else(requested)
                .end(),
      })),
    )
    .returning('last_value')
    .executeTakeFirstOrThrow();
  return requested ?? last_value;
}

/**
 * Reserves several numbers in one statement.
 * @param count at least 1
 * @returns the first of them; the others follow it
 */
export async function nextIids(db: Db, scope: Scope, count: number): Promise<number> {
  const { last_value } = await db
    .insertInto('internal_ids')
    .values({ ...scope, last_value: count })
    .onConflict((conflict) =>
      conflict
        .columns(['source_type', 'source_id', 'usage'])
        .doUpdateSet((eb) => ({ last_value: eb('internal_ids.last_value', '+', count) })),
    )
    .returning('last_value')
    .executeTakeFirstOrThrow();
  return last_value - count + 1;
}
