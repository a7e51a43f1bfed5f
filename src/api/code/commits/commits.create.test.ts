import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const NOT_ALLOWED = '403 Forbidden - You are not allowed to push into this branch';
const actions = [{ action: 'create', file_path: 'new.txt', content: 'x' }];

test('POST commits onto a protected branch was 400: now it is 403 and says why', async (t) => {
  const { path, project, head, git } = await seededProject(app, t);
  const { developer, maintainer } = await app.make.members(project);
  for (const json of [{ name: 'main' }, { name: 'release/*' }, { name: 'forced', push_access_level: 30 }]) {
    expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json }), 201);
  }
  git.git(['update-ref', 'refs/heads/forced', head]);
  const commit = (json: object, { token } = developer) =>
    app.post(`${path}/commits`, { token, json: { commit_message: 'm', actions, ...json } });
  for (const json of [
    { branch: 'main' },
    { branch: 'release/1', start_branch: 'main' },
    { branch: 'forced', start_branch: 'side', force: true },
  ]) {
    assert.equal(expectStatus(await commit(json), 403).message, NOT_ALLOWED);
  }
  assert.equal(git.git(['rev-parse', 'main']), head);
  expectStatus(await commit({ branch: 'forced' }), 201);
  expectStatus(await commit({ branch: 'main' }, maintainer), 201);
});

test('a leading slash of paths in actions and of the path filter is dropped', async (t) => {
  const { path, git } = await seededProject(app, t);
  const commit = (...list: object[]) =>
    app.post(`${path}/commits`, { json: { branch: 'main', commit_message: 'by path', actions: list } });
  expectStatus(await commit({ action: 'create', file_path: '/docs/a.md', content: 'a' }), 201);
  expectStatus(await commit({ action: 'move', file_path: '//docs/b.md', previous_path: '/docs/a.md' }), 201);
  assert.equal(git.git(['ls-tree', '-r', '--name-only', 'main']), 'a.txt\ndocs/b.md');
  const titles = async (filter: string) =>
    expectStatus<{ title: string }[]>(await app.get(`${path}/commits`, { query: { path: filter } }), 200).length;
  assert.deepEqual(await Promise.all(['/docs/b.md', 'docs/b.md', '/docs', '/none'].map(titles)), [1, 1, 2, 0]);
});

test('a commit to a new branch whose name collides with another branch says so', async (t) => {
  const app = await buildTestApp();
  t.after(() => app.close());
  const project = await app.make.project();
  new ProjectGit(app, project).commit('main', { a: '1' });
  new ProjectGit(app, project).commit('feature', { a: '1' });
  new ProjectGit(app, project).commit('deep/down', { a: '1' });
  for (const branch of ['feature/x', 'main/x/y', 'deep']) {
    const json = {
      branch,
      start_branch: 'main',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: 'b', content: 'b' }],
    };
    const text = `Failed to create branch '${branch}': its name conflicts with another branch`;
    const path = `/projects/${project.id}/repository`;
    assert.equal(expectStatus(await app.post(`${path}/commits`, { json }), 400).message, text);
    const create = await app.post(`${path}/branches`, { json: { branch, ref: 'main' } });
    assert.equal(expectStatus(create, 400).message, text);
    const file = { branch, start_branch: 'main', commit_message: 'x', content: 'b' };
    assert.equal(expectStatus(await app.post(`${path}/files/b`, { json: file }), 400).message, text);
  }
});
