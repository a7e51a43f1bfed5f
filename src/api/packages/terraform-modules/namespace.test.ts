import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { makePackage } from '../../../../test/support/packages.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let clock: TestClock;
let group: Namespace;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  clock = new TestClock();
  app = await buildTestApp({ clock });
  group = await app.make.group();
  project = await app.make.project({ namespace: await app.make.group({ parent: group }) });
  staff = await app.make.members(project);
  for (const version of ['1.0.0', '1.2.0', '2.0.0-rc.1']) {
    const files = { [`net-aws-${version}.tgz`]: `archive of ${version}` };
    await makePackage(app.deps, project.id, { type: 'terraform_module', name: 'net/aws', version, files });
  }
});
after(() => app.close());

const BASE = '/packages/terraform/modules/v1';
const get = (path: string, token: string | null = staff.reporter.token) =>
  app.get(`${BASE}/${group.path}/${path}`, {
    token: null,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
const source = () => `${app.deps.externalUrl()}/${project.full_path}`;
/** The address that a version is told to be at, below the API. */
const located = async (path: string, token?: string | null): Promise<string> => {
  const response = await get(path, token);
  expectStatus(response, 204);
  const address = String(response.headers['x-terraform-get']);
  assert.ok(address.startsWith('/api/v4/'), address);
  return address.slice('/api/v4'.length);
};
const archive = (address: string) => app.get(address, { token: null });

describe('the registry of modules', () => {
  test('lists versions', async () => {
    const root = { dependencies: [], providers: [{ name: 'aws', version: '' }] };
    const versions = ['1.0.0', '1.2.0', '2.0.0-rc.1'].map((version) => ({ version, submodules: [], root }));
    assert.deepEqual(expectStatus(await get('net/aws/versions'), 200), { modules: [{ versions, source: source() }] });
    const byId = await app.get(`${BASE}/${group.id}/net/aws/versions`);
    assert.equal(expectStatus<{ modules: unknown[] }>(byId, 200).modules.length, 1);
  });

  test('shows a version, and the newest', async () => {
    const expected = (version: string) => ({
      name: 'net/aws',
      provider: 'aws',
      providers: ['aws'],
      root: { dependencies: [] },
      source: source(),
      submodules: [],
      version,
      versions: [version],
    });
    assert.deepEqual(expectStatus(await get('net/aws/1.0.0'), 200), expected('1.0.0'));
    assert.deepEqual(expectStatus(await get('net/aws'), 200), expected('1.2.0'));
  });

  test('leads to the newest version', async () => {
    const response = await get('net/aws/download');
    assert.equal(response.statusCode, 302);
    assert.equal(response.headers.location, `/api/v4${BASE}/${group.path}/net/aws/1.2.0/download`);
    const none = expectStatus(await get('none/aws/download'), 404);
    assert.equal(none.message, 'No version found for none module');
    const nowhere = expectStatus(await app.get(`${BASE}/nowhere/none/aws/download`), 404);
    assert.deepEqual(nowhere, none, 'a group that is not there is told from none');
  });

  test('gives an archive to whom it told where it is', async () => {
    const address = await located('net/aws/1.0.0/download');
    assert.match(address, /\/net\/aws\/1\.0\.0\/file\?token=[\w.-]+&archive=tgz$/);
    const got = await archive(address);
    assert.equal(got.body, 'archive of 1.0.0');
    assert.match(String(got.headers['content-disposition']), /net-aws-1\.0\.0\.tgz/);
    const pass = /token=([^&]+)/.exec(address)?.[1] ?? '';
    assert.equal((await get('net/aws/1.0.0/file', pass)).body, 'archive of 1.0.0', 'in the place of a token');
    assert.equal((await get('net/aws/1.0.0/file')).body, 'archive of 1.0.0', 'with a token');
  });

  test('has no module that the caller may not read', async () => {
    for (const path of [
      'net/aws/versions',
      'net/aws',
      'net/aws/1.0.0',
      'net/aws/download',
      'net/aws/1.0.0/download',
      'net/aws/1.0.0/file',
    ]) {
      for (const role of ['guest', 'planner', 'stranger'] as const)
        expectStatus(await get(path, staff[role].token), 404);
      const anonymous = await get(path, null);
      expectStatus(anonymous, 401);
      assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
      expectStatus(await get(path, 'glpat-none'), 401);
    }
    for (const path of ['net/gcp/versions', 'net/aws/9.0.0', 'net/aws/9.0.0/download', 'net/aws/9.0.0/file']) {
      expectStatus(await get(path), 404);
    }
    expectStatus(await app.get(`${BASE}/nowhere/net/aws/versions`), 404);
    expectStatus(await app.get(`${BASE}/nowhere/net/aws/versions`, { token: null }), 401);
  });

  test('is open where projects are', async () => {
    const open = await app.make.group({ visibility: 'public' });
    const { id } = await app.make.project({ namespace: open, visibility: 'public' });
    const files = { 'net-aws-1.0.0.tgz': 'open' };
    await makePackage(app.deps, id, { type: 'terraform_module', name: 'net/aws', version: '1.0.0', files });
    const response = await app.get(`${BASE}/${open.path}/net/aws/1.0.0/download`, { token: null });
    const address = String(response.headers['x-terraform-get']);
    assert.equal(address, `/api/v4${BASE}/${open.path}/net/aws/1.0.0/file?archive=tgz`);
    assert.equal((await archive(address.slice('/api/v4'.length))).body, 'open');
  });

  test('knows users as namespaces', async () => {
    const { user, token } = await app.make.user();
    const { id } = await app.make.project({ owner: user });
    await makePackage(app.deps, id, { type: 'terraform_module', name: 'own/aws', version: '1.0.0' });
    const response = await app.get(`${BASE}/${user.username}/own/aws/versions`, { token });
    expectStatus(response, 200);
  });
});

describe('the address of an archive', () => {
  test('is good for its version alone', async () => {
    const address = await located('net/aws/1.0.0/download');
    const other = address.replace('/1.0.0/', '/1.2.0/');
    expectStatus(await archive(other), 401);
    expectStatus(await archive(address.replace('/net/', '/nett/')), 404);
    const twin = await app.make.project({ namespace: await app.make.group() });
    await app.make.member({ project: twin }, staff.reporter.user, 20);
    const files = { 'net-aws-1.0.0.tgz': 'of another group' };
    await makePackage(app.deps, twin.id, { type: 'terraform_module', name: 'net/aws', version: '1.0.0', files });
    const elsewhere = address.replace(`/${group.path}/`, `/${twin.full_path.split('/')[0]}/`);
    expectStatus(await archive(elsewhere), 401);
    const [, pass = ''] = /token=([^&]+)/.exec(address) ?? [];
    expectStatus(await get('net/aws/versions', pass), 401);
    expectStatus(await app.get(`/projects/${project.id}`, { token: pass }), 401);
    expectStatus(await archive(address.replace(pass, pass.slice(0, -2))), 401);
    assert.equal((await archive(address)).statusCode, 200);
  });

  test('is good for five minutes', async () => {
    const address = await located('net/aws/1.0.0/download');
    clock.advance(299_000);
    assert.equal((await archive(address)).statusCode, 200);
    clock.advance(1_000);
    expectStatus(await archive(address), 401);
  });

  test('ends with the token that it was told to, and with the rights', async () => {
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 20);
    const address = await located('net/aws/1.0.0/download', token);
    assert.equal((await archive(address)).statusCode, 200);
    const { db } = app.deps;
    await db.deleteFrom('members').where('user_id', '=', user.id).execute();
    expectStatus(await archive(address), 404);
    await db.updateTable('access_tokens').set({ revoked: 1 }).where('digest', '=', tokenDigest(token)).execute();
    expectStatus(await archive(address), 401);
  });

  test('is told to deploy tokens and jobs, too', async () => {
    const json = { name: 'deploy', scopes: ['read_package_registry'] };
    const made = await app.post(`/groups/${group.id}/deploy_tokens`, { json });
    const { token } = expectStatus<{ token: string }>(made, 201);
    const held = await holdJob(app, project, { columns: { user_id: staff.reporter.user.id } });
    for (const secret of [token, held.token, ROOT_TOKEN]) {
      assert.equal((await archive(await located('net/aws/1.0.0/download', secret))).body, 'archive of 1.0.0');
    }
  });

  test('is never in the log', async () => {
    const address = await located('net/aws/1.0.0/download');
    await archive(address);
    const [, pass = ''] = /token=([^&]+)/.exec(address) ?? [];
    assert.ok(!app.logLines.join('').includes(pass));
  });
});
