import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Schema } from '../db/db.schema.ts';

type Packages<O> = SelectQueryBuilder<Schema, 'packages', O>;

/** What is selected of versions, by project: something of it is another as soon as one of them has come, gone or changed. */
export const VERSION_STATE = [
  'packages.project_id',
  sql<number | string>`count(*)`.as('rows'),
  sql<number>`max(packages.id)`.as('newest'),
  sql<string>`max(packages.updated_at)`.as('changed_at'),
  // The times of day of all: another change than the last one shows here, were it by a clock that is behind.
  sql<number | string>`sum(cast(substr(packages.updated_at, 12, 2) as integer) * 3600000
    + cast(substr(packages.updated_at, 15, 2) as integer) * 60000
    + cast(substr(packages.updated_at, 18, 2) as integer) * 1000
    + cast(substr(packages.updated_at, 21, 3) as integer))`.as('times'),
] as const;

/**
 * A text that is another one as soon as anything has changed of the packages that a query finds, or of their files: what is
 * made of them can be kept by it, and is never stale.
 * @param query selects nothing yet
 * @returns also how many rows of versions and files there are, and the projects that have them
 */
export async function collectionVersionOf(
  query: Packages<object>,
): Promise<{ text: string; rows: number; projectIds: readonly number[] }> {
  const states = await query
    .leftJoin('package_files', (join) =>
      join.onRef('package_files.package_id', '=', 'packages.id').on('package_files.status', '=', 'default'),
    )
    .select([...VERSION_STATE, sql<number | null>`max(package_files.id)`.as('newest_file')])
    .groupBy('packages.project_id')
    .orderBy('packages.project_id')
    .execute();
  const rows = states.reduce((sum, state) => sum + Number(state.rows), 0);
  const text = JSON.stringify(states.map((state) => Object.values(state).map(String)));
  return { text, rows, projectIds: states.map(({ project_id }) => project_id) };
}
