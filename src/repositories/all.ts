import { sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import { HOLDER_TYPES, type Holder, type HolderType, holderTypes, LOCATED, tableOf } from './holder.ts';

const BATCH = 200;

/** A holder with a name by which a person finds it. */
export interface NamedHolder extends Holder {
  name: string;
}

/** Every repository of the installation, one type of holders after the other. Read a batch at a time. */
export async function* allRepositories(db: Db): AsyncGenerator<NamedHolder, void, void> {
  for (const type of holderTypes) yield* allOfType(db, type);
}

async function* allOfType(db: Db, type: HolderType): AsyncGenerator<NamedHolder, void, void> {
  for (let after = 0; ; ) {
    const batch = await db
      .selectFrom(tableOf(type))
      .select([...LOCATED, sql.raw<string>(HOLDER_TYPES[type].nameSql).as('name')])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    yield* batch.map((row) => ({ type, ...row }));
    if (batch.length < BATCH) return;
    after = batch.at(-1)!.id;
  }
}
