import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Schema } from '../db/db.schema.ts';

type Packages<O> = SelectQueryBuilder<Schema, 'packages', O>;

/** Columns that identify the state of versions by project: any addition, removal or change alters the result. */
export const VERSION_STATE_COLUMNS = [
  'packages.project_id',
  sql<number | string>`count(*)`.as('rows'),
  sql<number>`max(packages.id)`.as('newest'),
  sql<string>`max(packages.updated_at)`.as('changed_at'),
  // Sum of the times of day of all versions: detects changes other than the latest, even by a clock that is behind.
  sql<number | string>`sum(cast(substr(packages.updated_at, 12, 2) as integer) * 3600000
    + cast(substr(packages.updated_at, 15, 2) as integer) * 60000
    + cast(substr(packages.updated_at, 18, 2) as integer) * 1000
    + cast(substr(packages.updated_at, 21, 3) as integer))`.as('times'),
] as const;

/**
 * A text that changes whenever one of the packages of a query, or one of their files, changes. It serves as cache key
 * for derived documents.
 * @param query a query without selection
 * @returns also the numbers of versions and files, and the projects
 */
export async function collectionVersionOf(
  query: Packages<object>,
): Promise<{ text: string; rows: number; projectIds: readonly number[] }> {
  const states = await query
    .leftJoin('package_files', (join) =>
      join.onRef('package_files.package_id', '=', 'packages.id').on('package_files.status', '=', 'default'),
    )
    .select([...VERSION_STATE_COLUMNS, sql<number | null>`max(package_files.id)`.as('newest_file')])
    .groupBy('packages.project_id')
    .orderBy('packages.project_id')
    .execute();
  const rows = states.reduce((sum, state) => sum + Number(state.rows), 0);
  const text = JSON.stringify(states.map((state) => Object.values(state).map(String)));
  return { text, rows, projectIds: states.map(({ project_id }) => project_id) };
}
