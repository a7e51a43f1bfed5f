import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let group: Namespace;
let first: Project;
let second: Project;
/** Of a group elsewhere. */
let foreign: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group();
  first = await app.make.project({ namespace: group });
  second = await app.make.project({ namespace: await app.make.group({ parent: group }) });
  foreign = await app.make.project({ namespace: await app.make.group() });
  staff = await app.make.members(first);
});
after(() => app.close());

const publish = async (project: Project, path: string, body: string) =>
  expectStatus(
    await app.put(`/projects/${project.id}/packages/maven/${path}`, {
      body,
      headers: { 'content-type': 'application/octet-stream' },
    }),
    200,
  );
const inGroup = (path: string, token: string | null = ROOT_TOKEN, headers = {}) =>
  app.get(`/groups/${group.id}/-/packages/maven/${path}`, { token, headers });
const onInstance = (path: string, token: string | null = ROOT_TOKEN, headers = {}) =>
  app.get(`/packages/maven/${path}`, { token, headers });

describe('in a group', () => {
  const path = 'com/ex/lib/1.0/lib-1.0.jar';
  before(async () => {
    await publish(first, path, 'of the first');
    await publish(second, path, 'of the second');
    await publish(foreign, path, 'of another group');
    await publish(second, 'com/ex/only/1.0/only-1.0.jar', 'of the second');
  });

  test('the newest of all its projects is found, with its checksums', async () => {
    assert.equal((await inGroup(path)).body, 'of the second');
    assert.equal((await inGroup(`${path}.sha1`)).headers['content-type'], 'text/plain; charset=utf-8');
    const byPath = await app.get(`/groups/${encodeURIComponent(group.full_path)}/-/packages/maven/${path}`);
    assert.equal(byPath.body, 'of the second');
    await publish(first, path, 'of the first, again');
    assert.equal((await inGroup(path)).body, 'of the first, again');
  });

  test('callers get those of the projects that they may read', async () => {
    assert.equal((await inGroup(path, staff.reporter.token)).body, 'of the first, again');
    const missing = expectStatus(await inGroup('com/ex/only/1.0/only-1.0.jar', staff.owner.token), 404);
    assert.equal(missing.message, '404 Package Not Found');
    for (const role of ['guest', 'planner'] as const) expectStatus(await inGroup(path, staff[role].token), 404);
    assert.equal(expectStatus(await inGroup(path, staff.stranger.token), 404).message, '404 Group Not Found');
    expectStatus(await app.put(`/groups/${group.id}/-/packages/maven/${path}`, { body: 'x' }), 405);
  });

  test('anonymous callers are asked who they are where nothing is found', async () => {
    const open = await app.make.group({ visibility: 'public' });
    const project = await app.make.project({ namespace: open, visibility: 'public' });
    await publish(project, path, 'open');
    const url = `/groups/${open.id}/-/packages/maven`;
    assert.equal((await app.get(`${url}/${path}`, { token: null })).body, 'open');
    for (const response of [await app.get(`${url}/com/ex/lib/2.0/x`, { token: null }), await inGroup(path, null)]) {
      expectStatus(response, 401);
      assert.match(String(response.headers['www-authenticate']), /^Basic realm=/);
    }
  });

  test('deploy tokens of the group and tokens of jobs read it', async () => {
    const json = { name: 'deploy', scopes: ['read_package_registry'] };
    const { token, username } = expectStatus<{ token: string; username: string }>(
      await app.post(`/groups/${group.id}/deploy_tokens`, { json }),
      201,
    );
    const basic = { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` };
    for (const headers of [basic, { 'deploy-token': token }]) {
      assert.equal((await inGroup('com/ex/only/1.0/only-1.0.jar', null, headers)).body, 'of the second');
    }
    const held = await holdJob(app, first, { columns: { user_id: 1 } });
    const headers = { 'job-token': held.token };
    assert.equal((await inGroup(path, null, headers)).body, 'of the first, again');
    // The second project does not let in jobs of the first.
    expectStatus(await inGroup('com/ex/only/1.0/only-1.0.jar', null, headers), 404);
  });
});

describe('on the instance', () => {
  let path: string;
  before(async () => {
    path = `${first.full_path}/1.0/app-1.0.jar`;
    await publish(first, path, 'the app');
    await publish(first, `${first.full_path}/maven-metadata.xml`, '<metadata/>');
    await publish(foreign, 'com/ex/named/1.0/named-1.0.jar', 'called otherwise');
  });

  test('a package that is called as its project is found', async () => {
    assert.equal((await onInstance(path, staff.reporter.token)).body, 'the app');
    assert.equal((await onInstance(`${first.full_path}/maven-metadata.xml`)).body, '<metadata/>');
    assert.equal((await onInstance(`${path}.sha1`)).statusCode, 200);
    const missing = expectStatus(await onInstance(`${first.full_path}/1.0/other.jar`), 404);
    assert.equal(missing.message, '404 Package Not Found');
  });

  test('of all else nothing is told', async () => {
    for (const [other, token] of [
      [`${first.full_path}/9.0/app-9.0.jar`, ROOT_TOKEN],
      ['com/ex/named/1.0/named-1.0.jar', ROOT_TOKEN],
      ['x.jar', ROOT_TOKEN],
      [path, staff.guest.token],
      [path, staff.stranger.token],
    ] as const) {
      assert.equal(expectStatus(await onInstance(other, token), 403).message, '403 Forbidden');
    }
    for (const other of [path, 'com/ex/none/1.0/none.jar']) {
      const response = await onInstance(other, null);
      expectStatus(response, 401);
      assert.match(String(response.headers['www-authenticate']), /^Basic realm=/);
    }
    const held = await holdJob(app, foreign, { columns: { user_id: 1 } });
    expectStatus(await onInstance(path, null, { 'job-token': held.token }), 403);
  });

  test('anonymous callers read that of a public project', async () => {
    const open = await app.make.project({
      namespace: await app.make.group({ visibility: 'public' }),
      visibility: 'public',
    });
    await publish(open, `${open.full_path}/1.0/a.jar`, 'open');
    assert.equal((await onInstance(`${open.full_path}/1.0/a.jar`, null)).body, 'open');
  });
});
