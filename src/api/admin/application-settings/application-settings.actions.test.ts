import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { GitUser } from '../../../../test/support/git-user.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
let ada: TestUser;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
});
after(() => app.close());
const forget = async () => {
  await app.deps.db.deleteFrom('instance_values').where('key', '=', 'application_settings').execute();
  await app.deps.settings.refresh();
};
afterEach(forget);

const set = (json: Json) =>
  app.put('/application/settings', { json }).then((response) => expectStatus<Json>(response, 200));

test('members: only administrators add and invite them where the settings say so', async () => {
  const group = await app.make.group();
  await app.make.member({ group }, ada.user, 50);
  const { user } = await app.make.user();
  const add = (token?: string) =>
    app.post(`/groups/${group.id}/members`, {
      json: { user_id: user.id, access_level: 10 },
      ...(token === undefined ? {} : { token }),
    });
  const invite = (token?: string) =>
    app.post(`/groups/${group.id}/invitations`, {
      json: { email: 'somebody@example.org', access_level: 10 },
      ...(token === undefined ? {} : { token }),
    });
  await set({ disable_invite_members: true });
  expectStatus(await add(ada.token), 403);
  expectStatus(await invite(ada.token), 403);
  expectStatus(await add(), 201);
  expectStatus(await invite(), 201);
  await forget();
  const other = await app.make.user();
  expectStatus(
    await app.post(`/groups/${group.id}/members`, {
      json: { user_id: other.user.id, access_level: 10 },
      token: ada.token,
    }),
    201,
  );
});

test('users and projects: so many requests in a period, as the settings say', async () => {
  const paths = {
    users_api_limit_followers: `/users/${ada.user.id}/followers`,
    users_api_limit_following: `/users/${ada.user.id}/following`,
    users_api_limit_status: `/users/${ada.user.id}/status`,
    users_api_limit_ssh_keys: `/users/${ada.user.id}/keys`,
    users_api_limit_gpg_keys: `/users/${ada.user.id}/gpg_keys`,
  };
  const asked = Object.fromEntries(Object.keys(paths).map((name) => [name, 2]));
  await set({ ...asked, projects_api_rate_limit_unauthenticated: 2 });
  for (const [name, path] of Object.entries(paths)) {
    const answers = [await app.get(path), await app.get(path), await app.get(path)];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200, 429],
      name,
    );
    assert.equal(answers[2]!.headers['retry-after'], '60', name);
    expectStatus(await app.get(path, { token: ada.token }), 200);
  }
  const anonymous = () => app.get('/projects', { token: null });
  for (const status of [200, 200, 429]) assert.equal((await anonymous()).statusCode, status);
  expectStatus(await app.get('/projects'), 200);
  clock.advance(600_000);
  expectStatus(await anonymous(), 200);
  expectStatus(await app.get(paths.users_api_limit_ssh_keys), 200);
});

test('pipelines: how many a push makes, and a user for one commit in a minute', async () => {
  const project = await app.make.project();
  const pipelines = async () =>
    expectStatus<Json[]>(await app.get(`/projects/${project.id}/pipelines`, { query: { per_page: 100 } }), 200).length;
  await set({ git_push_pipeline_limit: 2 });
  const git = await GitUser.of(app);
  const tree = await git.tree();
  await git.commit(tree, '.gitlab-ci.yml', 'a: {script: echo}');
  const branches = ['one', 'two', 'three'].map((name) => `HEAD:refs/heads/${name}`);
  await git.ok(tree, 'push', git.address(project), ...branches);
  await app.drain();
  assert.equal(await pipelines(), 2);
  await set({ pipeline_limit_per_project_user_sha: 2 });
  const run = () => app.post(`/projects/${project.id}/pipeline`, { json: { ref: 'one' } });
  expectStatus(await run(), 201);
  expectStatus(await run(), 201);
  const { message } = expectStatus<{ message: string }>(await run(), 400);
  assert.match(message, /Too many pipelines created in the last minute\. Try again later\./);
  clock.advance(60_000);
  expectStatus(await run(), 201);
});
