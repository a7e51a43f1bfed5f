import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { insertName } from '../../../packages/package-registry.names.ts';
import { MAX_SORTED_MATCHES } from './packages.list.ts';

interface Shown {
  id: number;
  name: string;
  version: string;
  package_type: string;
  created_at: string;
  project_path?: string;
}

const VERSIONS = 20;
const OFTEN = Math.ceil(MAX_SORTED_MATCHES / VERSIONS) + 2;
const OTHERS = 52;

let app: TestApp;
let group: Namespace;
let project: Project;
let all: Shown[];
before(async () => {
  app = await buildTestApp();
  group = await app.make.group();
  project = await app.make.project({ namespace: group });
  await publish(project, 'Common', OFTEN);
  await publish(project, 'scarce', 2);
});
after(() => app.close());

/** Versions of so many names, with times that are in no order. */
async function publish(where: Project, word: string, names: number): Promise<void> {
  const types = ['npm', 'generic', 'maven'] as const;
  const rows = Array.from({ length: names * VERSIONS }, (_, n) => {
    const name = `a-${word}-${Math.floor(n / VERSIONS)}`;
    const version = `1.${n % VERSIONS}.0`;
    const created_at = new Date(Date.UTC(2026, 0, 1) + ((n * 7_919) % 1_000) * 60_000).toISOString();
    return {
      ...{ project_id: where.id, package_type: types[Math.floor(n / VERSIONS) % 3]!, name, version },
      ...{ name_key: name, version_key: version, created_at, updated_at: created_at },
    };
  });
  await app.deps.db.transaction().execute(async (db) => {
    await db.insertInto('packages').values(rows).execute();
    for (const row of rows.filter((_, n) => n % VERSIONS === 0)) await insertName(db, row);
  });
}

const ORDERS = {
  created_at: ({ created_at, id }: Shown) => [created_at, id],
  name: ({ name, id }: Shown) => [name, id],
  version: ({ version, created_at, id }: Shown) => [version, created_at, id],
  type: ({ package_type, created_at, id }: Shown) => [package_type, created_at, id],
  project_path: ({ project_path, created_at, id }: Shown) => [project_path!.split('/').at(-1)!, created_at, id],
};
type Key = readonly (string | number)[];
const compare = (a: Key, b: Key): number => {
  const at = a.findIndex((part, n) => part !== b[n]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
};

/** Asks for parts of names in every order, and compares with what a plain look at all packages finds. */
async function checkAll(path: string, orders: readonly (keyof typeof ORDERS)[]): Promise<void> {
  all = [];
  for (let page = 1; page < 100; page += 1) {
    const rows = expectStatus<Shown[]>(await app.get(path, { query: { per_page: 100, page } }), 200);
    all.push(...rows);
    if (rows.length < 100) break;
  }
  for (const package_name of ['common', 'SCARCE', 'e-1', 'a-', 'scarce-0', 'nowhere', '-']) {
    for (const order_by of orders) {
      for (const [sort, page] of [
        ['asc', 1],
        ['desc', 3],
      ] as const) {
        for (const type of [undefined, 'maven']) {
          const expected = all
            .filter(({ name }) => name.toLowerCase().includes(package_name.toLowerCase()))
            .filter(({ package_type }) => type === undefined || package_type === type)
            .sort((a, b) => compare(ORDERS[order_by](a), ORDERS[order_by](b)) * (sort === 'asc' ? 1 : -1));
          const query = { package_name, order_by, sort, page, ...(type === undefined ? {} : { package_type: type }) };
          const response = await app.get(path, { query });
          const rows = expectStatus<Shown[]>(response, 200);
          const ids = (shown: readonly Shown[]) => shown.map(({ id }) => id);
          assert.deepEqual(ids(rows), ids(expected.slice((page - 1) * 20, page * 20)), JSON.stringify(query));
          assert.equal(response.headers['x-total'], String(expected.length), JSON.stringify(query));
        }
      }
    }
  }
}

test('packages of a project are found by a part of the name, be they few or many, in every order', async () => {
  await checkAll(`/projects/${project.id}/packages`, ['created_at', 'name', 'version', 'type']);
  assert.ok(all.length > MAX_SORTED_MATCHES);
});

test('and those of a group, of one project or of many', async () => {
  const orders = ['created_at', 'name', 'project_path'] as const;
  await checkAll(`/groups/${group.id}/packages`, orders);
  for (let n = 0; n < OTHERS; n += 1) {
    await publish(await app.make.project({ namespace: group }), n % 2 === 0 ? 'scarce' : 'other', 1);
  }
  await checkAll(`/groups/${group.id}/packages`, orders);
  assert.ok(new Set(all.map(({ project_path }) => project_path)).size > OTHERS);
});
