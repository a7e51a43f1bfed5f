import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { createRepository } from '../../../git/repository/index.ts';
import { removeUnlessUsed } from '../../../repositories/repository.removal.ts';
import { createProject } from './projects.create.ts';

const clock = new TestClock();
let app: TestApp;
beforeEach(async () => {
  app = await buildTestApp({ clock });
});
afterEach(() => app.close());

/** All folders of repositories. */
const folders = () => {
  const root = app.deps.storages.list[0]!.path;
  return globSync('@hashed/*/*', { cwd: root }).flatMap((parent) => readdirSync(join(root, parent)));
};

async function create(path: string, fillRepository?: () => Promise<void>) {
  const namespace = await app.deps.db.selectFrom('namespaces').selectAll().executeTakeFirstOrThrow();
  return createProject(app.deps, {
    namespace,
    name: path,
    path,
    visibility: 'private',
    creatorId: 1,
    defaultBranch: 'main',
    ...(fillRepository === undefined ? {} : { fillRepository }),
  });
}

test('a project that cannot be made leaves no repository', async () => {
  await assert.rejects(
    create('a', () => Promise.reject(new Error('disk full'))),
    /disk full/,
  );
  assert.deepEqual(folders(), []);
  await create('b');
  await assert.rejects(create('b'), { status: 400 });
  assert.equal(folders().length, 1);
});

test('what a process made that died before it wrote the row is removed later; a project is not', async () => {
  const project = await create('kept');
  const location = { storage: project.repository_storage, diskPath: app.deps.storages.newDiskPath() };
  await removeUnlessUsed(app.deps, location);
  await createRepository(app.deps.storages.dirOf(location), { defaultBranch: 'main' });
  await app.drain();
  assert.equal(folders().length, 2);
  clock.advance(2 * 3_600_000);
  await app.drain();
  assert.equal(folders().length, 1);
  expectStatus(await app.get(`/projects/${project.id}/repository/branches`), 200);
});
