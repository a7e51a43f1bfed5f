import { sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import { inBatches } from '../db/in-batches.ts';
import { HOLDER_TYPES, type Holder, type HolderType, holderTypes, LOCATION_COLUMNS, tableOf } from './holder.ts';

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
  const named = sql.raw<string>(HOLDER_TYPES[type].nameSql).as('name');
  const all = db.selectFrom(tableOf(type)).select([...LOCATION_COLUMNS, named]);
  for await (const batch of inBatches(all, BATCH, 'id')) yield* batch.map((row) => ({ type, ...row }));
}
