import type { Db } from './schema.ts';
import type { InternalIdsTable } from './tables/internal-ids.ts';

type Scope = Pick<InternalIdsTable, 'source_type' | 'source_id' | 'usage'>;

/**
 * The next number (`iid`) of a project or group: without gaps and without races. Others wait for the end of the
 * transaction whose handle is given; if it is taken back, so is the number.
 * @param wanted a number that shall be used instead; the next one given follows the highest
 */
export async function nextIid(db: Db, scope: Scope, wanted?: number): Promise<number> {
  const { last_value } = await db
    .insertInto('internal_ids')
    .values({ ...scope, last_value: wanted ?? 1 })
    .onConflict((conflict) =>
      conflict.columns(['source_type', 'source_id', 'usage']).doUpdateSet((eb) => ({
        last_value:
          wanted === undefined
            ? eb('internal_ids.last_value', '+', 1)
            : eb
                .case()
                .when('internal_ids.last_value', '>', wanted)
                .then(eb.ref('internal_ids.last_value'))
                .else(wanted)
                .end(),
      })),
    )
    .returning('last_value')
    .executeTakeFirstOrThrow();
  return wanted ?? last_value;
}

/**
 * Numbers for several at once, in one statement.
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
