import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Schema } from '../db/schema.ts';

type Packages<O> = SelectQueryBuilder<Schema, 'packages', O>;

/**
 * A text that is another one as soon as anything has changed of the packages that a query finds, or of their files: what is
 * made of them can be kept by it, and is never stale.
 * @param query selects nothing yet
 * @returns also how many rows of versions and files there are, and the projects that have them
 */
export async function editionOf(
  query: Packages<object>,
): Promise<{ text: string; rows: number; projectIds: readonly number[] }> {
  const states = await query
    .leftJoin('package_files', (join) =>
      join.onRef('package_files.package_id', '=', 'packages.id').on('package_files.status', '=', 'default'),
    )
    .select((eb) => [
      'packages.project_id',
      eb.fn.countAll<number | string>().as('rows'),
      eb.fn.max('packages.id').as('newest'),
      eb.fn.max('package_files.id').as('newest_file'),
      eb.fn.max('packages.updated_at').as('changed_at'),
      // The seconds of all: another change than the last one shows here, were it by a clock that is behind.
      sql<
        number | string
      >`sum(cast(substr(packages.updated_at, 18, 2) || substr(packages.updated_at, 21, 3) as integer))`.as('times'),
    ])
    .groupBy('packages.project_id')
    .orderBy('packages.project_id')
    .execute();
  const rows = states.reduce((sum, state) => sum + Number(state.rows), 0);
  const text = JSON.stringify(states.map((state) => Object.values(state).map(String)));
  return { text, rows, projectIds: states.map(({ project_id }) => project_id) };
}
