import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { makeTreeBomb, workingOn } from '../../../../test/support/tree-bomb.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;

const MAX = 10_000;

before(async () => {
  app = await buildTestApp({ settings: { STITHY_MAX_ARCHIVE: String(MAX) } });
  project = await app.make.project({ path: 'garden', visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { 'README.md': 'Hello\n', 'small/a': 'a', 'large/b': 'b'.repeat(MAX) });
  makeTreeBomb((args, input) => git.run(args, input));
});
after(() => app.close());

const at = (suffix = '') => `/projects/${project.id}/repository/archive${suffix}`;
const advice =
  'Request a part of the repository with path, leave parts out with exclude_paths, or clone the repository.';
const tooMany = `The archive would contain more than 1000000 files and folders. ${advice}`;
const tooLarge = `The archive would contain more than ${MAX} bytes. ${advice}`;

test('an archive of ten thousand million files is refused before its first byte, and starts no process', async () => {
  for (const format of ['zip', 'tar', 'tar.gz', 'tar.bz2']) {
    assert.equal(expectStatus(await app.get(at(`.${format}?sha=bomb`)), 422).message, tooMany, format);
  }
  const page = await fetch(`${await app.listen()}/${project.full_path}/-/archive/bomb/garden-bomb.zip`);
  assert.deepEqual([page.status, await page.json()], [422, { message: tooMany }]);
  assert.equal((await app.head(at('.zip?sha=bomb'))).statusCode, 422);
  assert.deepEqual(workingOn(git.dir), []);
});

test('a part of what is too much can be had', async () => {
  const part = await app.get(at('.tar?sha=bomb&path=d0/d1/d2/d3/d4/d5/d6/d7'));
  assert.equal(part.statusCode, 200);
  const names = outputOf('tar', ['-t'], { input: part.rawPayload }).toString().split('\n');
  assert.equal(names.filter((name) => /f\d$/.test(name)).length, 100);
});

test('an archive past the bytes of one archive is refused, and says what helps', async () => {
  assert.equal(expectStatus(await app.get(at('.zip')), 422).message, tooLarge);
  assert.equal((await app.get(at('.zip?exclude_paths=large'))).statusCode, 200);
  assert.equal((await app.get(at('.zip?path=small'))).statusCode, 200);
  assert.equal((await app.get(at('.zip?path=large'))).statusCode, 200);
});

test('LFS objects count as often as their pointers stand in the tree', async () => {
  const oid = 'c'.repeat(64);
  const row = { project_id: project.id, oid, size: MAX / 2, created_at: new Date().toISOString() };
  await app.deps.db.insertInto('lfs_objects').values(row).execute();
  const pointer = (size: number) => `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
  git.commit('lfs', { a: pointer(MAX / 2), b: pointer(MAX / 2), c: pointer(MAX / 2) });
  // Not the object that is there: it stays a pointer.
  git.commit('other-lfs', { a: pointer(MAX * 2), b: pointer(MAX * 2) });
  const { message } = expectStatus(await app.get(at('.tar?sha=lfs')), 422);
  assert.match(String(message), /request pointers with include_lfs_blobs=false/);
  assert.equal((await app.get(at('.tar?sha=lfs&include_lfs_blobs=false'))).statusCode, 200);
  assert.equal((await app.get(at('.tar?sha=other-lfs'))).statusCode, 200);
});
