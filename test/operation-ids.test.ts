import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { openApiDocument } from '../src/http/openapi/openapi.document.ts';
import { routes } from '../src/routes.ts';

/** Names that are given: `METHOD path`, a tab, the name. */
const FILE = new URL('fixtures/operation-ids.tsv', import.meta.url);

/** Names by operation, as they are now. */
const current = new Map<string, string>(
  Object.entries(openApiDocument(routes, 'http://127.0.0.1').paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => [`${method.toUpperCase()} ${path}`, operationId] as const),
  ),
);

async function recordedIds(): Promise<Map<string, string>> {
  const lines = (await readFile(FILE, 'utf8')).split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split('\t') as [string, string]));
}

/** What the names of operations are bound to: clients that are generated today call them tomorrow. */
test('operations keep the names that they were given', async () => {
  const known = await recordedIds();
  const changed = [...known].filter(([operation, name]) => current.get(operation) !== name);
  assert.deepEqual(
    changed.map(([operation, name]) => `${operation}: ${name} is now ${current.get(operation) ?? 'gone'}`),
    [],
  );
  if (process.env.STITHY_ENTER_OPERATION_IDS === undefined) {
    const missing = [...current.keys()].filter((operation) => !known.has(operation));
    assert.deepEqual(missing, [], 'new operations are entered by: npm run operation-ids');
    return;
  }
  const lines = [...current].sort(([a], [b]) => (a < b ? -1 : 1)).map((pair) => pair.join('\t'));
  await writeFile(FILE, `${lines.join('\n')}\n`);
});

test('every route is an operation of its own: no two have one path but for the names of parameters', () => {
  assert.equal(current.size, routes.length);
});

test('the names of operations are words in camel case, each of one operation alone', () => {
  const names = [...current.values()];
  assert.deepEqual(
    names.filter((name, index) => !/^[a-z]+(?:[A-Z0-9][a-z0-9]*)*$/.test(name) || names.indexOf(name) !== index),
    [],
  );
});
