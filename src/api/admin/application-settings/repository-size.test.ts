import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';

type Json = Record<string, unknown>;
const MIB = 1024 ** 2;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
afterEach(() => resetSettings(app));

const limit = (repository_size_limit: number) => changeSettings(app, { repository_size_limit });

/** A project whose repository was counted with so many bytes, and its Git LFS objects with so many. */
async function sized(repository_size: number, lfs_objects_size = 0) {
  const project = await app.make.project({ visibility: 'public' });
  await resize(project.id, repository_size, lfs_objects_size);
  return project;
}

async function resize(id: number, repository_size: number, lfs_objects_size = 0) {
  const statistics = JSON.stringify({ repository_size, lfs_objects_size });
  await app.deps.db.updateTable('projects').set({ statistics }).where('id', '=', id).execute();
}

const commit = (id: number, name: string) =>
  app.post(`/projects/${id}/repository/commits`, {
    json: { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path: name, content: 'x' }] },
  });

test('commits to a repository past its size are refused, Git LFS counts, and zero is no limit', async () => {
  const { id } = await sized(MIB, 2 * MIB);
  expectStatus(await commit(id, 'one'), 201);
  await limit(3);
  expectStatus(await commit(id, 'two'), 201);
  await limit(1);
  const { message } = expectStatus<Json>(await commit(id, 'three'), 400);
  assert.equal(
    message,
    'Your changes could not be committed, because this repository has exceeded its size limit of 1 MiB by 2 MiB',
  );
  await limit(0);
  expectStatus(await commit(id, 'three'), 201);
});

test('so are pushes, and those that would go past it; what removes is taken', async () => {
  const project = await sized(MIB);
  const git = await GitUser.of(app);
  const tree = await git.tree();
  await git.commit(tree, 'a', 'a');
  const address = git.address(project);
  await git.ok(tree, 'push', address, 'main', 'main:topic');
  await limit(1);
  await git.ok(tree, 'push', address, 'main:second');
  await resize(project.id, MIB + 100);
  assert.match(
    await git.fails(tree, 'push', address, 'main:third'),
    /Your push has been rejected, because this repository has exceeded its size limit of 1 MiB by 100 Bytes\./,
  );
  await git.ok(tree, 'push', address, ':topic');
  await limit(2);
  await git.commit(tree, 'large', randomBytes(1_500_000).toString('base64'));
  assert.match(
    await git.fails(tree, 'push', address, 'main'),
    /Your push to this repository would cause it to exceed the size limit of 2 MiB so it has been rejected\./,
  );
  await limit(4);
  await git.ok(tree, 'push', address, 'main');
});

test('so are objects of Git LFS', async () => {
  const project = await sized(MIB);
  const authorization = `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}`;
  const batch = (size: number, operation = 'upload') =>
    app.instance.server.app.inject({
      method: 'POST',
      url: `/${project.full_path}.git/info/lfs/objects/batch`,
      headers: { authorization, 'content-type': 'application/vnd.git-lfs+json' },
      payload: JSON.stringify({ operation, objects: [{ oid: 'a'.repeat(64), size }] }),
    });
  await limit(2);
  assert.equal((await batch(MIB)).statusCode, 200);
  const refused = await batch(MIB + 1);
  assert.equal(refused.statusCode, 406);
  assert.match(refused.json<Json>().message as string, /would cause it to exceed the size limit of 2 MiB/);
  assert.equal((await batch(MIB + 1, 'download')).statusCode, 200);
});

test('and merges', async () => {
  const project = await sized(2 * MIB);
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1' });
  const head_sha = git.commit('side', { a: '2' }, { start: base });
  const mergeRequest = await makeMergeRequest(app, project, { source_branch: 'side', target_branch: 'main', head_sha });
  const merge = () => app.put(`/projects/${project.id}/merge_requests/${mergeRequest.iid}/merge`);
  await limit(1);
  const { message } = expectStatus<Json>(await merge(), 422);
  assert.match(
    String(message),
    /This merge request cannot be merged, because this repository has exceeded its size limit/,
  );
  await limit(2);
  expectStatus(await merge(), 200);
});

test('a lower plan has no such limit', async () => {
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  try {
    const shown = expectStatus<Json>(
      await free.put('/application/settings', { json: { repository_size_limit: 1 } }),
      200,
    );
    assert.equal(shown.repository_size_limit, undefined);
    assert.equal(free.deps.settings.now.repository_size_limit, 0);
  } finally {
    await free.close();
  }
});
