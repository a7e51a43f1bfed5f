import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, ROOT_TOKEN, type TestApp, TestClock } from '../../test/support/app.ts';
import { ProjectGit } from '../../test/support/project-git.ts';

let app: TestApp;
let path: string;
before(async () => {
  const settings = {
    STITHY_THROTTLE_AUTHENTICATED_WEB_REQUESTS: '2',
    STITHY_THROTTLE_UNAUTHENTICATED_WEB_REQUESTS: '2',
    STITHY_THROTTLE_AUTHENTICATED_GIT_REQUESTS: '2',
    STITHY_THROTTLE_UNAUTHENTICATED_GIT_REQUESTS: '2',
  };
  app = await buildTestApp({ settings, clock: new TestClock() });
  const project = await app.make.project({ visibility: 'public' });
  new ProjectGit(app, project).commit('main', { a: '1' });
  path = project.full_path;
});
after(() => app.close());

const basic = `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}`;
const ask = (url: string, headers: Record<string, string> = {}) => app.instance.server.app.inject({ url, headers });

test('web addresses and git are counted by themselves, and the API goes on', async () => {
  const web = `/${path}/-/archive/main/x.zip`;
  const git = `/${path}.git/info/refs?service=git-upload-pack`;
  for (const [url, headers, name] of [
    [web, {}, 'throttle_unauthenticated_web'],
    [web, { 'private-token': ROOT_TOKEN }, 'throttle_authenticated_web'],
    [git, {}, 'throttle_unauthenticated_git_http'],
    [git, { authorization: basic }, 'throttle_authenticated_git_http'],
  ] as const) {
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const response = await ask(url, headers);
      statuses.push(response.statusCode);
      assert.equal(response.headers['ratelimit-name'], name);
      if (response.statusCode === 429) assert.ok(Number(response.headers['retry-after']) > 0);
    }
    assert.deepEqual(statuses, [200, 200, 429], name);
  }
  // Addresses that redirect to the API are counted as web requests.
  assert.equal((await ask(`/${path}`)).statusCode, 429);
  for (let n = 0; n < 5; n += 1) assert.equal((await app.get('/projects', { token: null })).statusCode, 200);
});

test('wrong passwords of git count for the address', async () => {
  const url = `/${path}.git/info/refs?service=git-upload-pack`;
  const authorization = `Basic ${Buffer.from('root:wrong').toString('base64')}`;
  assert.equal((await ask(url, { authorization })).statusCode, 429);
});
