import { type SqlBool, sql } from 'kysely';
import { conflict } from '../core/core.errors.ts';
import { pluck } from '../core/pluck.ts';
import type { Db } from '../db/db.schema.ts';
import { asciiLower, contains, startsWith } from '../db/like.ts';
import type { Package } from '../db/tables/packages.table.ts';

/**
 * Maximum length of an indexed part of a name, as in migration 0020; longer search texts are compared with whole names.
 */
const PART_LENGTH = 32;
const TRIES = 3;

type Named = Pick<Package, 'project_id' | 'package_type' | 'name_key' | 'name'>;
/** Scope of a search: package types and projects; all if absent. */
export interface PackageNameScope {
  types: readonly string[];
  projectIds?: readonly number[];
}

/** All substrings of a name that are indexed: one for each start position, in lower case. */
export function partsOf(name: string): string[] {
  const letters = [...asciiLower(name)];
  return letters.map((_, at) => letters.slice(at, at + PART_LENGTH).join(''));
}

/**
 * Indexes the name of a package, and protects the entry until the transaction ends.
 * @throws ApiError 409 if it is deleted repeatedly meanwhile
 */
export async function insertName(db: Db, { project_id, package_type, name_key, name }: Named): Promise<void> {
  const row = { project_id, package_type, name_key, name: asciiLower(name) };
  // The entry may be deleted between the two statements.
  for (let tries = 0; tries < TRIES; tries += 1) {
    const inserted = await db
      .insertInto('package_names')
      .values(row)
      .onConflict((names) => names.columns(['project_id', 'package_type', 'name_key', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted !== undefined) {
      const parts = partsOf(name).map((part) => ({ name_id: inserted.id, project_id, package_type, part }));
      await db.insertInto('package_name_parts').values(parts).execute();
      return;
    }
    // Locks the row on either database.
    const existing = await db
      .updateTable('package_names')
      .set({ name: row.name })
      .where('project_id', '=', project_id)
      .where('package_type', '=', package_type)
      .where('name_key', '=', name_key)
      .where('name', '=', row.name)
      .returning('id')
      .executeTakeFirst();
    if (existing !== undefined) return;
  }
  throw conflict();
}

/** Deletes indexed names of removed packages, unless other packages have them. @param gone at most a few hundred */
export async function deleteNames(db: Db, gone: readonly Omit<Named, 'name'>[]): Promise<void> {
  if (gone.length === 0) return;
  const keys = new Map(gone.map((row) => [`${row.project_id} ${row.package_type} ${row.name_key}`, row]));
  // Waits for publishers of these names, so that their packages are visible afterwards.
  const locked = await db
    .updateTable('package_names')
    .set((eb) => ({ name: eb.ref('name') }))
    .where((eb) =>
      eb.or(
        [...keys.values()].map(({ project_id, package_type, name_key }) =>
          eb.and([
            eb('project_id', '=', project_id),
            eb('package_type', '=', package_type),
            eb('name_key', '=', name_key),
          ]),
        ),
      ),
    )
    .returning('id')
    .execute();
  if (locked.length === 0) return;
  await db
    .deleteFrom('package_names')
    .where('id', 'in', pluck(locked, 'id'))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('packages')
            .select('packages.id')
            .whereRef('packages.package_type', '=', 'package_names.package_type')
            .whereRef('packages.name_key', '=', 'package_names.name_key')
            .whereRef('packages.project_id', '=', 'package_names.project_id'),
        ),
      ),
    )
    .execute();
}

/**
 * Query for names that contain a text, ignoring the case of ASCII letters. Starts with the index of parts and joins the
 * names: SQLite executes cross joins in their written order.
 */
export function namesWith(db: Db, text: string, { types, projectIds }: PackageNameScope) {
  const part = [...asciiLower(text)].slice(0, PART_LENGTH).join('');
  let parts = db
    .selectFrom('package_name_parts')
    .select('package_name_parts.name_id')
    .distinct()
    .where('package_name_parts.package_type', 'in', types)
    .where((eb) => startsWith(eb, eb.ref('package_name_parts.part'), part));
  if (projectIds !== undefined) parts = parts.where('package_name_parts.project_id', 'in', projectIds);
  const names = db
    .selectFrom(parts.as('fitting'))
    .crossJoin('package_names')
    .whereRef('package_names.id', '=', 'fitting.name_id');
  return part.length === text.length ? names : names.where((eb) => contains(eb.ref('package_names.name'), text));
}

/** Query for packages whose names contain a text: from the few matching names to their packages. */
export const packagesNamed = (db: Db, text: string, scope: PackageNameScope) =>
  namesWith(db, text, scope)
    .crossJoin('packages')
    .whereRef('packages.package_type', '=', 'package_names.package_type')
    .whereRef('packages.name_key', '=', 'package_names.name_key')
    .whereRef('packages.project_id', '=', 'package_names.project_id')
    .where(sql<SqlBool>`lower(packages.name) = package_names.name`);
