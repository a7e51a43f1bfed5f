import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { meanwhile } from '../../../../../test/support/meanwhile.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Scene {
  project: Project;
  git: ProjectGit;
  row: MergeRequest;
  developer: TestUser;
  path: string;
}

/** `topic` is to be merged into `open`, which Developers may; `main` is for Maintainers. */
async function scene(): Promise<Scene> {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1' });
  git.run(['branch', 'open', base]);
  git.commit('topic', { b: '1' }, { start: base });
  const developer = await app.make.user();
  await app.make.member({ project }, developer.user, 30);
  await protect(project, 'main');
  const row = await makeMergeRequest(app, project, { source_branch: 'topic', target_branch: 'open' });
  return { project, git, row, developer, path: `/projects/${project.id}/merge_requests/${row.iid}` };
}

const protect = async ({ id }: Project, name: string) => {
  const json = { name, push_access_level: 40, merge_access_level: 40 };
  expectStatus(await app.post(`/projects/${id}/protected_branches`, { json }), 201);
};
const merge = ({ path, developer }: Scene, json: object = {}) =>
  app.put(`${path}/merge`, { token: developer.token, json });
const retarget = async ({ path }: Scene, target_branch = 'main') =>
  expectStatus(await app.put(path, { json: { target_branch } }), 200);
const tips = ({ git }: Scene) => git.run(['for-each-ref', 'refs/heads/main', 'refs/heads/open']);

/** A merge that has to find out first whether it can be. */
const unsettle = ({ row }: Scene) =>
  app.deps.db.updateTable('merge_requests').set({ merge_status: 'unchecked' }).where('id', '=', row.id).execute();

test('a merge is not led to a protected branch by changing the target while its status is found out', async () => {
  const made = await scene();
  await unsettle(made);
  const before = tips(made);
  meanwhile(app, () => retarget(made));
  const { message } = expectStatus(await merge(made), 409);
  assert.match(String(message), /target branch was changed in the meantime/);
  assert.equal(tips(made), before);
  assert.equal((await reloadMergeRequest(app, made.row)).state, 'opened');
  expectStatus(await merge(made), 401);
});

test('of merges and changes of the target branch at once, none leads into a branch that is closed to who merges', async () => {
  for (let round = 0; round < 8; round += 1) {
    const made = await scene();
    const main = made.git.run(['rev-parse', 'main']);
    const file = { branch: 'topic', commit_message: 'more', content: String(round) };
    expectStatus(await app.post(`/projects/${made.project.id}/repository/files/f`, { json: file }), 201);
    const [merged, changed] = await Promise.all([merge(made), app.put(made.path, { json: { target_branch: 'main' } })]);
    assert.ok([200, 401, 405, 409, 422].includes(merged.statusCode), merged.body);
    assert.ok(changed.statusCode < 500, changed.body);
    assert.equal(made.git.run(['rev-parse', 'main']), main);
  }
});

const LOSSES: Record<string, (made: Scene) => Promise<unknown>> = {
  'the target branch is protected': ({ project }) => protect(project, 'open'),
  'the level is lowered': async ({ project, developer }) => {
    const path = `/projects/${project.id}/members/${developer.user.id}`;
    expectStatus(await app.put(path, { json: { access_level: 20 } }), 200);
  },
  'the member is removed': async ({ project, developer }) =>
    expectStatus(await app.delete(`/projects/${project.id}/members/${developer.user.id}`), 204),
  'the token is revoked': ({ developer }) =>
    app.deps.db.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', '=', developer.user.id).execute(),
  'the project is archived': async ({ project }) =>
    expectStatus(await app.post(`/projects/${project.id}/archive`), 201),
};

for (const [loss, lose] of Object.entries(LOSSES)) {
  for (const [when, prepare] of [
    ['its status is found out', unsettle],
    ['it waits for the repository', () => Promise.resolve()],
  ] as const) {
    test(`a merge is refused when ${loss} while ${when}`, async () => {
      const made = await scene();
      await prepare(made);
      const before = tips(made);
      meanwhile(app, () => lose(made));
      const { statusCode, body } = await merge(made);
      assert.ok([401, 403, 404].includes(statusCode), `${statusCode} ${body}`);
      assert.equal(tips(made), before);
      const now = await reloadMergeRequest(app, made.row);
      assert.deepEqual([now.state, now.merge_user_id, now.locked_at], ['opened', null, null]);
    });
  }

  test(`an automatic merge is refused when ${loss} while its status is found out`, async () => {
    const made = await scene();
    await app.deps.db.updateTable('merge_requests').set({ draft: 1 }).where('id', '=', made.row.id).execute();
    await unsettle(made);
    meanwhile(app, () => lose(made));
    const { statusCode, body } = await merge(made, { auto_merge: true });
    assert.ok([401, 403, 404].includes(statusCode), `${statusCode} ${body}`);
    assert.equal((await reloadMergeRequest(app, made.row)).auto_merge, 0);
  });

  test(`a rebase is refused when ${loss.replace('target', 'source')} while it waits for the repository`, async () => {
    const made = await scene();
    made.git.commit('open', { c: '1' });
    const before = made.git.run(['rev-parse', 'topic']);
    expectStatus(await app.put(`${made.path}/rebase`, { token: made.developer.token }), 202);
    const revoked = loss === 'the token is revoked';
    // The work is done in the user's name, not with the token; a user who is blocked does nothing.
    const block = async () => expectStatus(await app.post(`/users/${made.developer.user.id}/block`), 201);
    const protectSource = () => protect(made.project, 'topic');
    const act = revoked ? block : loss.startsWith('the target') ? protectSource : () => lose(made);
    meanwhile(app, act);
    await app.drain();
    assert.equal(made.git.run(['rev-parse', 'topic']), before);
    assert.match(String((await reloadMergeRequest(app, made.row)).merge_error), /^Rebase failed: /);
  });
}

test('a rebase does not move a branch whose merge request leads elsewhere meanwhile', async () => {
  const made = await scene();
  made.git.commit('open', { c: '1' });
  const before = made.git.run(['rev-parse', 'topic']);
  expectStatus(await app.put(`${made.path}/rebase`, { token: made.developer.token }), 202);
  meanwhile(app, () => retarget(made));
  await app.drain();
  assert.equal(made.git.run(['rev-parse', 'topic']), before);
});

test('an automatic merge ends in the moment in which the target branch changes, and asks again', async () => {
  const made = await scene();
  await app.deps.db.updateTable('merge_requests').set({ draft: 1 }).where('id', '=', made.row.id).execute();
  const maintainer = await app.make.user();
  await app.make.member({ project: made.project }, maintainer.user, 40);
  expectStatus(await app.put(`${made.path}/merge`, { token: maintainer.token, json: { auto_merge: true } }), 200);
  const before = tips(made);
  const json = { target_branch: 'main', title: 'ready' };
  const changed = expectStatus(await app.put(made.path, { token: made.developer.token, json }), 200);
  assert.equal(changed.merge_when_pipeline_succeeds, false);
  await app.drain();
  assert.equal(tips(made), before);
  assert.equal((await reloadMergeRequest(app, made.row)).state, 'opened');
});

test('an automatic merge that is canceled while its status is found out is not made', async () => {
  const made = await scene();
  await app.deps.db.updateTable('merge_requests').set({ draft: 1 }).where('id', '=', made.row.id).execute();
  expectStatus(await merge(made, { auto_merge: true }), 200);
  expectStatus(await app.put(made.path, { json: { title: 'ready' } }), 200);
  await unsettle(made);
  const before = tips(made);
  meanwhile(app, async () => expectStatus(await app.post(`${made.path}/cancel_merge_when_pipeline_succeeds`), 201));
  await app.drain();
  assert.equal(tips(made), before);
  assert.equal((await reloadMergeRequest(app, made.row)).state, 'opened');
});
