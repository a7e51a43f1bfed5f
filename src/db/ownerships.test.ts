import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { tableColumns } from '../../test/support/table-columns.ts';
import type { Ownership } from './ownership.ts';
import { ownerships } from './ownerships.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const declared = Object.entries(ownerships) as [string, Ownership<Record<string, unknown>>][];
const ownershipOf = (table: string) => declared.find(([name]) => name === table)?.[1];

test('every column that says what kind of thing a row belongs to says how the row goes', async () => {
  const typed = (await tableColumns(app.deps)).filter(({ name }) => name.endsWith('_type'));
  assert.ok(typed.length > 15, 'the database has such columns');
  const silent = typed.filter(({ table, name }) => {
    const { belongsTo = [], plain = [] } = ownershipOf(table) ?? {};
    return !plain.includes(name) && !belongsTo.some(({ type }) => type === name);
  });
  assert.deepEqual(silent, [], 'say it in the ownership of the table (src/db/tables/), or that it is plain');
});

test('what ownerships speak of is there', async () => {
  const known = new Set((await tableColumns(app.deps)).map(({ table, name }) => `${table}.${name}`));
  for (const [table, { ofGroup, belongsTo = [], plain = [] }] of declared) {
    const named = belongsTo.flatMap(({ type, id, takesNote, instead = {} }) => [
      type,
      id,
      takesNote ?? [],
      Object.keys(instead),
    ]);
    for (const column of [ofGroup ?? [], named, plain].flat(3)) {
      assert.ok(known.has(`${table}.${column}`), `${table}.${column}`);
    }
  }
});
