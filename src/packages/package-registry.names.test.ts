import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { makePackage } from '../../test/support/packages.ts';
import { ANONYMOUS } from '../access/caller.ts';
import { PACKAGE_TYPES } from '../api/packages/package-kinds.ts';
import { migrations } from '../db/migrations/index.ts';
import type { Project } from '../db/tables/projects.table.ts';
import { destroyPackages } from './package-registry.destroy.ts';
import { insertName, type PackageNameScope, packagesNamed, partsOf } from './package-registry.names.ts';

let app: TestApp;
let project: Project;
let owner: Awaited<ReturnType<TestApp['make']['members']>>['owner'];
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
  ({ owner } = await app.make.members(project));
});
after(() => app.close());

const publish = async (name: string, version: string, token = owner.token) =>
  expectStatus(
    await app.put(`/projects/${project.id}/packages/generic/${name}/${version}/f`, {
      token,
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    }),
    201,
  );
const namedLike = async (text: string, where: Partial<PackageNameScope>) => {
  const rows = await packagesNamed(app.deps.db, text, { types: PACKAGE_TYPES, ...where })
    .select(['packages.name', 'packages.version'])
    .execute();
  return rows.map(({ name, version }) => `${name} ${version}`).sort();
};
const entered = (name: string) =>
  app.deps.db.selectFrom('package_names').selectAll().where('name_key', '=', name).execute();
const partsLeft = async (nameId: number) => {
  const rows = await app.deps.db
    .selectFrom('package_name_parts')
    .select('part')
    .where('name_id', '=', nameId)
    .orderBy('part')
    .execute();
  return rows.map(({ part }) => part);
};
const destroy = async (name: string, version: string) => {
  const row = await app.deps.db
    .selectFrom('packages')
    .select('id')
    .where('name', '=', name)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  const caller = { ...ANONYMOUS, user: owner.user, scopes: ['api' as const] };
  await destroyPackages(app.deps, { caller, projectId: project.id }, [row.id]);
  await app.drain();
};

describe('the name of a package', () => {
  test('is found by every part of it, however many versions there are', async () => {
    const long = `Long-${'0123456789'.repeat(5)}-tail`;
    for (const version of ['1', '2']) await publish(long, version);
    const both = [`${long} 1`, `${long} 2`];
    const here = { projectIds: [project.id] };
    for (const part of [long, 'long', 'LONG-0', long.slice(3, 50), long.slice(-6), '-', 'g-']) {
      assert.deepEqual(await namedLike(part, here), both, part);
      assert.deepEqual(await namedLike(part, { types: ['generic'] }), both, part);
    }
    for (const part of ['%', 'l_ng', `${long}x`, `${long.slice(3, 50)}x`, 'gnol']) {
      assert.deepEqual(await namedLike(part, here), [], part);
    }
    assert.deepEqual(await namedLike('long', { projectIds: [0] }), []);
    assert.equal((await entered(long)).length, 1);
  });

  test('is forgotten with its last version, and is back with the next one', async () => {
    await publish('fleeting', '1');
    await publish('fleeting', '2');
    const [row] = await entered('fleeting');
    assert.equal((await partsLeft(row!.id)).length, 'fleeting'.length);
    await destroy('fleeting', '1');
    assert.equal((await entered('fleeting')).length, 1);
    await destroy('fleeting', '2');
    assert.deepEqual(await entered('fleeting'), []);
    assert.deepEqual(await partsLeft(row!.id), []);
    await publish('fleeting', '1');
    assert.deepEqual(await namedLike('leet', { projectIds: [project.id] }), ['fleeting 1']);
  });

  test('stays when it is published while its last version is removed', async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = `contested-${round}`;
      await publish(name, '1');
      const removed = destroy(name, '1');
      await Promise.all([removed, ...['2', '3', '4'].map((version) => publish(name, version))]);
      const all = ['2', '3', '4'].map((version) => `${name} ${version}`);
      assert.deepEqual(await namedLike(name, { projectIds: [project.id] }), all);
      assert.equal((await entered(name)).length, 1);
    }
  });

  test('goes with its project', async () => {
    const gone = await app.make.project();
    await makePackage(app.deps, gone.id, { name: 'of-one-gone' });
    await app.deps.db.deleteFrom('projects').where('id', '=', gone.id).execute();
    assert.deepEqual(await entered('of-one-gone'), []);
  });

  test('is one for each of its spellings', async () => {
    const spelled = { project_id: project.id, package_type: 'pypi', name_key: 'my-pkg' } as const;
    await app.deps.db.transaction().execute(async (db) => {
      for (const name of ['My.Pkg', 'my_pkg', 'MY_PKG']) await insertName(db, { ...spelled, name });
    });
    assert.deepEqual((await entered('my-pkg')).map(({ name }) => name).sort(), ['my.pkg', 'my_pkg']);
    await makePackage(app.deps, project.id, { type: 'pypi', name: 'only', version: '1' });
    assert.deepEqual(await namedLike('y_p', { projectIds: [project.id] }), []);
  });
});

test('names of packages that were there before are entered as those that come', async () => {
  const { db } = app.deps;
  const name = `Überholt/${'langer-Name.'.repeat(6)}`;
  await makePackage(app.deps, project.id, { name });
  const parts = partsOf(name).sort();
  const [asMade] = await entered(name);
  assert.deepEqual(await partsLeft(asMade!.id), parts);
  await db.deleteFrom('package_names').execute();
  const inserts = migrations['0020-lists']!.split(';').filter((statement) => /^\s*insert\b/.test(statement));
  for (const statement of inserts) await sql.raw(statement).execute(db);
  const [asMoved] = await entered(name);
  assert.equal(asMoved!.name, asMade!.name);
  assert.deepEqual(await partsLeft(asMoved!.id), parts);
});
