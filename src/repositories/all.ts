import { sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import { HOLDER_TYPES, type Holder, type HolderType, holderTypes, LOCATED, tableOf } from './holder.ts';

const BATCH = 200;

/** A holder with a display name. */
export interface NamedHolder extends Holder {
  name: string;
}

/** Yields every repository of the installation by type of holder, read in batches. */
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
