import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { buildTestApp, ROOT_TOKEN, type TestApp } from './support/app.ts';
import { fillWithMany } from './support/many/fill.ts';
import { LISTS } from './support/many/lists.ts';
import { ANA_TOKEN } from './support/many/people.ts';

const AMOUNTS = {
  projects: 100,
  issues: 600,
  mergeRequests: 300,
  events: 1_200,
  snippets: 60,
  jobs: 600,
  packages: 600,
};

let app: TestApp;
let queries = new Map<string, CompiledQuery>();
let listening = false;

before(async () => {
  app = await buildTestApp({
    onQuery: (query) => {
      if (listening && /^\s*(select|with)\b/i.test(query.sql)) queries.set(query.sql, query);
    },
  });
  const { repository_storage, disk_path } = await app.make.project();
  await fillWithMany(app.deps.db, AMOUNTS, () => ({ repository_storage, disk_path }));
});
after(() => app.close());

/** What a database says about how it would run a query, a line each. */
async function planOf({ sql, parameters }: CompiledQuery): Promise<string[]> {
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
function scans(query: CompiledQuery, plan: readonly string[]): string[] {
  const tables = tablesOf(query);
  return plan.filter((line) => {
    const scanned = /^SCAN (\w+)(?: AS (\w+))?(?! USING)/.exec(line);
    return (
      /\bSeq Scan on\b/.test(line) ||
      (scanned !== null && !/ USING /.test(line) && tables.has(scanned[2] ?? scanned[1]!))
    );
  });
}

for (const [caller, token] of [
  ['an administrator', ROOT_TOKEN],
  ['a member', ANA_TOKEN],
  ['nobody', null],
] as const) {
  for (const list of LISTS) {
    test(`${decodeURIComponent(list)} for ${caller} scans no table`, async () => {
      queries = new Map();
      listening = true;
      const { statusCode, body } = await app.get(`/${list}`, { token });
      listening = false;
      if (token === null && [401, 404].includes(statusCode)) return;
      if (token === ANA_TOKEN && statusCode === 403) return;
      assert.equal(statusCode, 200, body.slice(0, 500));
      const bad: string[] = [];
      for (const query of queries.values()) {
        const found = scans(query, await planOf(query));
        if (found.length > 0) bad.push(`${found.join('; ')}\n  in ${query.sql}`);
      }
      assert.equal(bad.join('\n'), '');
    });
  }
}
