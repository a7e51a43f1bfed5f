import { sql } from 'kysely';
import type { Db } from '../db.schema.ts';

/** Runs statements without parameters on PostgreSQL, in one message. */
export async function runAll(db: Db, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await sql.raw(statements.join(';\n')).execute(db);
}

/**
 * Runs work in a transaction on PostgreSQL with foreign keys dropped, because rows come in any order. They are checked
 * when they are made again.
 * @param tables whose keys are dropped, those that refer to them included; null for all
 * @throws the database's error if rows refer to missing rows
 */
export async function withoutForeignKeys<T>(
  db: Db,
  tables: readonly string[] | null,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await sql<{ add: string; drop: string; child: string; parent: string }>`
    select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid)) as add,
           format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
           child.relname as child, parent.relname as parent
      from pg_constraint c join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid
     where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(db);
  const named = tables === null ? null : new Set(tables);
  const keys = rows.filter(({ child, parent }) => named === null || named.has(child) || named.has(parent));
  await runAll(
    db,
    keys.map(({ drop }) => drop),
  );
  const result = await work();
  await runAll(
    db,
    keys.map(({ add }) => add),
  );
  return result;
}
