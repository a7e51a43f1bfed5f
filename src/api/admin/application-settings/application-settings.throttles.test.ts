import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let ada: Awaited<ReturnType<TestApp['make']['user']>>;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
  ada = await app.make.user();
});
after(() => app.close());
afterEach(() => resetSettings(app));

const set = (json: Json) => changeSettings(app, json);
/** Asks for an address beside the API. */
const ask = (url: string, headers: Record<string, string> = {}) => app.instance.server.app.inject({ url, headers });
const throttle = (kind: string, requests: number) => ({
  [`throttle_${kind}_enabled`]: true,
  [`throttle_${kind}_requests_per_period`]: requests,
  [`throttle_${kind}_period_in_seconds`]: 3_600,
});

test('requests: packages, files and old endpoints have throttles that count in the place of the general one', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const project = await app.make.project({ visibility: 'public', namespace: group });
  new ProjectGit(app, project).commit('main', { a: '1' });
  const path = `/projects/${project.id}`;
  for (const [kind, address, other] of [
    ['packages_api', `${path}/packages`, path],
    ['files_api', `${path}/repository/files/a/raw?ref=main`, `${path}/repository/tree`],
    ['deprecated_api', `/groups/${group.id}`, `/groups/${group.id}?with_projects=false`],
  ] as const) {
    for (const [who, token] of [
      ['authenticated', ada.token],
      ['unauthenticated', null],
    ] as const) {
      const ask = async (url: string) => {
        const { statusCode, headers } = await app.get(url, { token });
        return [statusCode, headers['ratelimit-name']];
      };
      const general = `throttle_${who}_api`;
      await set({ ...throttle(`${who}_${kind}`, 1), ...throttle(`${who}_api`, 50) });
      const own = `throttle_${who}_${kind}`;
      assert.deepEqual(
        [await ask(address), await ask(address)],
        [
          [200, own],
          [429, own],
        ],
      );
      assert.deepEqual(await ask(other), [200, general]);
      await set({ [`throttle_${who}_${kind}_enabled`]: false });
      assert.deepEqual(await ask(address), [200, general]);
    }
  }
});

test('requests: Git LFS is counted, of those who are known and of others, where administrators say so', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const url = `/${project.full_path}.git/info/lfs/locks`;
  const authorization = `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}`;
  const look = async (headers: Record<string, string>) => {
    const response = await ask(url, headers);
    return [response.statusCode, response.headers['ratelimit-name']];
  };
  await set(throttle('authenticated_web', 1));
  for (let n = 0; n < 3; n += 1) assert.deepEqual(await look({ authorization }), [200, undefined]);
  await set(throttle('authenticated_git_lfs', 1));
  const name = 'throttle_authenticated_git_lfs';
  assert.deepEqual(
    [await look({ authorization }), await look({ authorization })],
    [
      [200, name],
      [429, name],
    ],
  );
  assert.deepEqual((await look({}))[1], undefined);
  await set(throttle('unauthenticated_git_lfs', 1));
  const anonymous = [await look({}), await look({})];
  const other = 'throttle_unauthenticated_git_lfs';
  assert.deepEqual(
    anonymous.map(([, counted]) => counted),
    [other, other],
  );
  assert.equal(anonymous[1]![0], 429);
});

test('requests to sign in are counted by address', async () => {
  const sign = () =>
    app.instance.server.app.inject({
      method: 'POST',
      url: '/oauth/token',
      payload: { grant_type: 'password', username: 'nobody', password: 'wrong' },
    });
  for (let n = 0; n < 3; n += 1) assert.equal((await sign()).statusCode, 400);
  await set(throttle('protected_paths', 2));
  for (const status of [400, 400, 429]) {
    const response = await sign();
    assert.equal(response.statusCode, status);
    assert.equal(response.headers['ratelimit-name'], 'throttle_unauthenticated_protected_paths');
    if (status === 429) assert.equal(response.body, 'Retry later\n');
  }
});

test('actions: jobs of projects by a user, and one raw file by whomever', async () => {
  const project = await app.make.project({ visibility: 'public' });
  new ProjectGit(app, project).commit('main', { a: '1', b: '2' });
  await set({ project_jobs_api_rate_limit: 1, raw_blob_request_limit: 1 });
  const jobs = (token: string | null) => app.get(`/projects/${project.id}/jobs`, { token });
  expectStatus(await jobs(ada.token), 200);
  const refused = expectStatus<Json>(await jobs(ada.token), 429);
  assert.equal(refused.message, 'This endpoint has been requested too many times. Try again later.');
  expectStatus(await jobs(ROOT_TOKEN), 200);
  const raw = (file: string) => ask(`/${project.full_path}/-/raw/main/${file}`);
  assert.equal((await raw('a')).statusCode, 200);
  const tooMany = await raw('a');
  assert.equal(tooMany.statusCode, 429);
  assert.equal(tooMany.json<Json>().message, 'You cannot access the raw file. Please wait a minute.');
  assert.equal((await raw('b')).statusCode, 200);
  await set({ raw_blob_request_limit: 0, project_jobs_api_rate_limit: 0 });
  assert.equal((await raw('a')).statusCode, 200);
  expectStatus(await jobs(ada.token), 200);
});
