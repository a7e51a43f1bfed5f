import type { Db } from '../db/schema.ts';
import { type Holder, ofProject, ofSnippet } from './holder.ts';

const BATCH = 200;

/** A holder with a name by which a person finds it. */
export interface NamedHolder extends Holder {
  name: string;
}

/** Every repository of the installation: those of projects, then those of snippets. Read a batch at a time. */
export async function* allRepositories(db: Db): AsyncGenerator<NamedHolder, void, void> {
  yield* inBatches((after) =>
    db
      .selectFrom('projects')
      .select(['id', 'full_path', 'repository_storage', 'disk_path'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute()
      .then((rows) => rows.map((row) => ({ ...ofProject(row), name: row.full_path }))),
  );
  yield* inBatches((after) =>
    db
      .selectFrom('snippets')
      .select(['id', 'repository_storage', 'disk_path'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute()
      .then((rows) => rows.map((row) => ({ ...ofSnippet(row), name: `snippet ${row.id}` }))),
  );
}

async function* inBatches(read: (after: number) => Promise<NamedHolder[]>): AsyncGenerator<NamedHolder, void, void> {
  for (let after = 0; ; ) {
    const batch = await read(after);
    yield* batch;
    if (batch.length < BATCH) return;
    after = batch.at(-1)!.id;
  }
}
