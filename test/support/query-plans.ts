import { CompiledQuery } from 'kysely';
import type { TestApp } from './app.ts';

/** What a database says about how it would run a query, a line each. */
export async function planOf(app: TestApp, { sql, parameters }: CompiledQuery): Promise<string[]> {
  if (app.deps.config.database.kind === 'sqlite') {
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await app.deps.db.executeQuery<{ detail: string }>(explained);
    return rows.map(({ detail }) => detail);
  }
  return app.deps.db.transaction().execute(async (db) => {
    // The tables are small here: a scan that is left without this is one that no index can replace.
    await db.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'));
    const explained = CompiledQuery.raw(`explain ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(explained);
    return rows.map((row) => row['QUERY PLAN']);
  });
}

/** Tables of a query by the names that its plan uses. */
function tablesOf({ sql }: CompiledQuery): Set<string> {
  const named = sql.matchAll(
    /\b(?:from|join)\s+"?(\w+)"?(?:\s+(?:as\s+)?"?(?!where|on|order|inner|left|join|limit)(\w+)"?)?/gi,
  );
  const tables = new Set([...named].map(([, table, alias]) => alias ?? table!));
  // What a query makes itself, step by step, is no table.
  for (const [, made] of sql.matchAll(/\bwith (?:recursive )?"?(\w+)"?/gi)) tables.delete(made!);
  return tables;
}

/** Lines of a plan that read a whole table; walks over an index in its order end with the page. */
export function scans(query: CompiledQuery, plan: readonly string[]): string[] {
  const tables = tablesOf(query);
  return plan.filter((line) => {
    const scanned = /^SCAN (\w+)(?: AS (\w+))?(?! USING)/.exec(line);
    return (
      /\bSeq Scan on\b/.test(line) ||
      (scanned !== null && !/ USING /.test(line) && tables.has(scanned[2] ?? scanned[1]!))
    );
  });
}
