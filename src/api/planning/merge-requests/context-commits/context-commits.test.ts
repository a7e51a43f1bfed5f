import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let path: string;
let shas: string[];
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  users = await app.make.members(project);
  const git = new ProjectGit(app, project);
  shas = Array.from({ length: 25 }, (_, n) => git.commit('main', { 'a.txt': `${n}\n` }));
  git.commit('topic', { 'b.txt': 'b\n' }, { start: shas.at(-1)! });
  const json = { source_branch: 'topic', target_branch: 'main', title: 'Change' };
  const made = expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json }), 201);
  path = `/projects/${project.id}/merge_requests/${made.iid}/context_commits`;
});
after(() => app.close());

const by = (user?: TestUser) => (user === undefined ? {} : { token: user.token });
const add = (commits: readonly unknown[], user?: TestUser) => app.post(path, { json: { commits }, ...by(user) });
const remove = (commits: readonly unknown[], user?: TestUser) => app.delete(path, { json: { commits }, ...by(user) });
const list = async (query = {}) => {
  const commits = expectStatus<{ id: string; title: string }[]>(await app.get(path, { query }), 200);
  return commits.map(({ id }) => id);
};

test('commits are added to a merge request, listed the newest first, and taken away', async () => {
  assert.deepEqual(await list(), []);
  const added = expectStatus<{ id: string; title: string }[]>(await add([shas[1], shas[0], shas[1]]), 201);
  assert.deepEqual(
    added.map(({ id, title }) => [id, title]),
    [
      [shas[1], 'commit on main'],
      [shas[0], 'commit on main'],
    ],
  );
  assert.deepEqual(await list(), [shas[1], shas[0]]);
  assert.deepEqual(await list({ per_page: 1, page: 2 }), [shas[0]]);
  expectStatus(await add([shas[2]], users.developer), 201);
  expectStatus(await remove([shas[0], shas[1]], users.developer), 204);
  assert.deepEqual(await list(), [shas[2]]);
  expectStatus(await remove([shas[2]]), 204);
});

test('commits that are none, or there already, are refused as a whole', async () => {
  const text = "One or more context commits' sha is not valid.";
  for (const commits of [[shas[3], 'f'.repeat(40)], ['main'], ['../x'], [shas[3]!.slice(0, 8)]]) {
    assert.equal(expectStatus(await add(commits), 400).message, text);
  }
  assert.deepEqual(await list(), []);
  expectStatus(await add([shas[3]]), 201);
  const twice = expectStatus(await add([shas[4], shas[3]]), 400);
  assert.equal(twice.message, `Context commits: ${shas[3]} are already created`);
  assert.equal(expectStatus(await remove([shas[3], shas[4]]), 400).message, text);
  assert.deepEqual(await list(), [shas[3]]);
  for (const commits of [[], shas.slice(0, 21)]) expectStatus(await add(commits), 400);
  expectStatus(await app.post(path), 400);
  expectStatus(await app.delete(path), 400);
  expectStatus(await remove([shas[3]]), 204);
});

test('whoever may change a merge request may add to it; whoever may read it may read them', async () => {
  for (const user of [users.stranger, users.reporter]) {
    expectStatus(await add([shas[5]], user), 403);
    expectStatus(await remove([shas[5]], user), 403);
    expectStatus(await app.get(path, by(user)), 200);
  }
  expectStatus(await app.get(path, { token: null }), 200);
  expectStatus(await app.post(path, { json: { commits: [shas[5]] }, token: null }), 401);
  expectStatus(await app.get(path.replace(/\/\d+\/context/, '/9999/context')), 404);
  const hidden = await app.make.project();
  const there = `/projects/${hidden.id}/merge_requests/1/context_commits`;
  expectStatus(await app.get(there, by(users.developer)), 404);
});
