import type { Db } from '../db/db.schema.ts';

/** Query for the holders of storage moves in progress. */
const moved = (db: Db, column: 'project_id' | 'snippet_id' | 'group_id') =>
  db
    .selectFrom('repository_storage_moves')
    .select(`${column} as id`)
    .where('state', 'in', ['scheduled', 'started'])
    .where(column, 'is not', null)
    .$castTo<{ id: number }>();

/** Names of repositories that are read-only although they are neither being imported nor moved. @param limit maximum number */
export async function leftReadOnly(db: Db, limit: number): Promise<string[]> {
  const projects = await db
    .selectFrom('projects')
    .select('full_path')
    .where('repository_read_only', '=', 1)
    .where('import_status', 'not in', ['scheduled', 'started'])
    .where('id', 'not in', moved(db, 'project_id'))
    .limit(limit)
    .execute();
  const snippets = await db
    .selectFrom('snippets')
    .select('id')
    .where('repository_read_only', '=', 1)
    .where('id', 'not in', moved(db, 'snippet_id'))
    .limit(limit)
    .execute();
  const wikis = await db
    .selectFrom('wikis')
    .select('id')
    .where('repository_read_only', '=', 1)
    // Each wiki has exactly one of the two columns.
    .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', 'not in', moved(db, 'project_id'))]))
    .where((eb) => eb.or([eb('namespace_id', 'is', null), eb('namespace_id', 'not in', moved(db, 'group_id'))]))
    .limit(limit)
    .execute();
  const names = [
    ...projects.map(({ full_path }) => full_path),
    ...snippets.map(({ id }) => `snippet ${id}`),
    ...wikis.map(({ id }) => `wiki ${id}`),
  ];
  return names.slice(0, limit);
}
