import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { EXPORTED_TABLES } from '../../../test/support/exported-columns.ts';
import { richProject } from '../../../test/support/rich-project.ts';
import { tableColumns } from '../../../test/support/table-columns.ts';
import { exporterOf } from '../exports/export.run.ts';
import { GROUP_RELATIONS } from './groups.relation.ts';
import { ARCHIVE_RELATIONS } from './projects.relation.ts';
import type { Portable, Relation } from './relation.ts';

type Json = Record<string, unknown>;
const tables = Object.entries(EXPORTED_TABLES);

/** Tables that are read to find out who may see and who people are; of these, exports have no rows. */
const BESIDE = ['users', 'relation_exports', 'relation_export_users', 'wikis'];

let app: TestApp;
const queries: string[] = [];
let listening = false;
/** The objects of an export by the names of their relations; those of the group behind `group `. */
const exported = new Map<string, Json[]>();

async function exportAll(portable: Portable, relations: readonly Relation[], prefix: string): Promise<void> {
  const { deps } = app;
  const signal = new AbortController().signal;
  const caller = await exporterOf(deps, { user_id: 1 });
  for (const relation of relations) {
    if (relation.form === 'files') continue;
    let text = '';
    const exporting = { deps, db: deps.db, portable, caller, names: () => {}, signal };
    listening = true;
    for await (const piece of relation.pieces(exporting, 0)) if (typeof piece === 'string') text += piece;
    listening = false;
    const objects = text.split('\n').filter(Boolean);
    exported.set(
      prefix + relation.name,
      objects.map((line) => JSON.parse(line) as Json),
    );
  }
}

before(async () => {
  app = await buildTestApp({
    onQuery: ({ sql }) => {
      if (listening) queries.push(sql);
    },
  });
  const made = await richProject(app);
  await app.put(`/projects/${made.id}`, { json: { topics: ['tools'] } });
  const find = app.deps.db.selectFrom('projects').selectAll().where('id', '=', made.id);
  const project = await find.executeTakeFirstOrThrow();
  await exportAll({ kind: 'project', id: project.id, project }, ARCHIVE_RELATIONS, '');
  const group = await app.deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirstOrThrow();
  await exportAll({ kind: 'group', id: group.id, group }, GROUP_RELATIONS, 'group ');
});
after(() => app.close());

/** All objects at a path such as `issues.notes.award_emoji`. */
const objectsAt = (path: string): Json[] => {
  const [relation = '', ...keys] = path.split('.');
  let objects = exported.get(relation) ?? [];
  for (const key of keys) objects = objects.flatMap<Json>((object) => (object[key] ?? []) as Json | Json[]);
  return objects;
};

test('every column of a table that is exported is declared as exported or left out', async () => {
  const columns = await tableColumns(app.deps);
  for (const [table, { columns: declared }] of tables) {
    const tableColumnNames = columns.filter((column) => column.table === table).map(({ name }) => name);
    assert.deepEqual(
      tableColumnNames.toSorted(),
      Object.keys(declared).toSorted(),
      `columns of ${table}: export and import new ones, or say why they stay, in test/support/exported-columns.ts`,
    );
  }
});

test('what is declared as exported is in the objects of an export, and what is left out is not', () => {
  const wrong: string[] = [];
  for (const [table, { at, columns }] of tables) {
    const objects = at.flatMap(objectsAt);
    if (at.length > 0) assert.ok(objects.length > 0, `an export has rows of ${table} at ${at.join(', ')}`);
    const keys = new Set(objects.flatMap((object) => Object.keys(object)));
    for (const [column, how] of Object.entries(columns)) {
      const key = how === true ? column : how;
      if (typeof key === 'string') {
        if (!keys.has(key)) wrong.push(`${table}.${column} is not exported as ${key}`);
      } else if ('leftOut' in key) {
        assert.ok(key.leftOut.length > 5, `${table}.${column} is left out for a reason`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('every table that an export reads is declared', () => {
  const read = queries.flatMap((query) => [...query.matchAll(/\b(?:from|join) "(\w+)"/g)].map(([, table]) => table!));
  assert.ok(read.length > 30);
  const unknown = new Set(read).difference(new Set([...Object.keys(EXPORTED_TABLES), ...BESIDE]));
  assert.deepEqual([...unknown], [], 'say what an export has of their columns in test/support/exported-columns.ts');
});
