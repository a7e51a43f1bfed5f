import { type SqlBool, sql } from 'kysely';
import { conflict } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import { asciiLower, contains, startsWith } from '../db/like.ts';
import type { Package, PackageType } from '../db/tables/packages.table.ts';

/** Characters that a part of a name has at most, as migration 0020 cuts them, too: what is longer is compared in whole. */
const PART_LENGTH = 32;
const TRIES = 3;

type Named = Pick<Package, 'project_id' | 'package_type' | 'name_key' | 'name'>;
/** Which names are looked through: of these types, in these projects, or in all. */
export interface PackageNameScope {
  types: readonly PackageType[];
  projectIds?: readonly number[];
}

/** What begins at each character of a name, in small letters. */
export function partsOf(name: string): string[] {
  const letters = [...asciiLower(name)];
  return letters.map((_, at) => letters.slice(at, at + PART_LENGTH).join(''));
}

/**
 * Has the name of a package found by its parts, and stay so until the transaction ends.
 * @throws ApiError 409 when it is forgotten again and again meanwhile
 */
export async function insertName(db: Db, { project_id, package_type, name_key, name }: Named): Promise<void> {
  const row = { project_id, package_type, name_key, name: asciiLower(name) };
  // What is there may be forgotten between the two statements.
  for (let tries = 0; tries < TRIES; tries += 1) {
    const made = await db
      .insertInto('package_names')
      .values(row)
      .onConflict((names) => names.columns(['project_id', 'package_type', 'name_key', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made !== undefined) {
      const parts = partsOf(name).map((part) => ({ name_id: made.id, project_id, package_type, part }));
      await db.insertInto('package_name_parts').values(parts).execute();
      return;
    }
    // Locks the row on either database.
    const there = await db
      .updateTable('package_names')
      .set({ name: row.name })
      .where('project_id', '=', project_id)
      .where('package_type', '=', package_type)
      .where('name_key', '=', name_key)
      .where('name', '=', row.name)
      .returning('id')
      .executeTakeFirst();
    if (there !== undefined) return;
  }
  throw conflict();
}

/** Forgets the names of packages whose rows are gone, unless others have them. @param gone at most a few hundred */
export async function deleteNames(db: Db, gone: readonly Omit<Named, 'name'>[]): Promise<void> {
  if (gone.length === 0) return;
  const keys = new Map(gone.map((row) => [`${row.project_id} ${row.package_type} ${row.name_key}`, row]));
  // Whoever publishes under one of them is waited for: only then is it seen what there is.
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
    .where(
      'id',
      'in',
      locked.map(({ id }) => id),
    )
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
 * A query of the names that contain a text, without regard to the case of ASCII letters. It begins with the parts in an index
 * and goes on to their names: SQLite takes cross joins in the order in which they stand.
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

/** A query of the packages whose names contain a text: it goes on from the names, which are few, to their packages. */
export const packagesNamed = (db: Db, text: string, scope: PackageNameScope) =>
  namesWith(db, text, scope)
    .crossJoin('packages')
    .whereRef('packages.package_type', '=', 'package_names.package_type')
    .whereRef('packages.name_key', '=', 'package_names.name_key')
    .whereRef('packages.project_id', '=', 'package_names.project_id')
    .where(sql<SqlBool>`lower(packages.name) = package_names.name`);
