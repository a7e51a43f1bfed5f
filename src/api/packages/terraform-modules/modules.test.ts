import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { makePackage } from '../../../../test/support/packages.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let group: Namespace;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group();
  project = await app.make.project({ namespace: group });
  staff = await app.make.members(project);
});
after(() => app.close());

const below = (id: number) => `/projects/${id}/packages/terraform/modules`;
const put = (path: string, body: string | Buffer, token: string | null = staff.developer.token, headers = {}) =>
  app.put(`${below(project.id)}/${path}/file`, {
    token,
    body,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  });
const get = (path: string, token: string | null = staff.reporter.token, headers = {}) =>
  app.get(`${below(project.id)}/${path}`, { token, headers });
const DUPLICATE = 'A module with the same name & version already exists in the project.';

describe('a module', () => {
  test('is published and downloaded, a version or the newest', async () => {
    for (const version of ['1.9.0', '1.10.0', '1.2.0', '2.0.0-rc.1']) {
      assert.deepEqual(expectStatus(await put(`net/aws/${version}`, version), 201), { message: '201 Created' });
    }
    const got = await get('net/aws/1.9.0');
    assert.equal(got.body, '1.9.0');
    assert.match(String(got.headers['content-disposition']), /^attachment; filename="net-aws-1\.9\.0\.tgz"/);
    assert.equal((await get('net/aws')).body, '1.10.0');
    const row = await app.deps.db
      .selectFrom('packages')
      .selectAll()
      .where('name', '=', 'net/aws')
      .where('version', '=', '1.9.0')
      .executeTakeFirstOrThrow();
    assert.deepEqual([row.package_type, row.status], ['terraform_module', 'default']);
    expectStatus(await put('early/aws/1.0.0-beta.2', 'only'), 201);
    assert.equal((await get('early/aws')).body, 'only');
  });

  test('tells where its archive is, in an address that lets the caller download it', async () => {
    const url = `${app.deps.externalUrl()}/api/v4${below(project.id)}/net/aws/1.10.0`;
    for (const path of ['net/aws?terraform-get=1', 'net/aws/1.10.0?terraform-get=1']) {
      const response = await get(path);
      assert.equal(expectStatus(response, 204), undefined);
      const address = String(response.headers['x-terraform-get']);
      const query = address.slice(url.length);
      assert.match(query, /^\?token=[\w.-]+&archive=tgz$/);
      assert.equal((await get(`net/aws/1.10.0${query}`, null)).body, '1.10.0');
      expectStatus(await get(`net/aws/1.9.0${query}`, null), 401);
      expectStatus(await get(`net/aws${query}`, null), 401);
      for (const version of ['1.10.0', '1.9.0']) {
        const refused = await get(`net/aws/${version}${query}&terraform-get=1`, null);
        expectStatus(refused, 401);
        assert.equal(refused.headers['x-terraform-get'], undefined, 'a pass is not exchanged for another');
      }
    }
    expectStatus(await get('net/aws?terraform-get=2'), 400);
    assert.equal((await get('net/aws/1.10.0?archive=tgz')).body, '1.10.0');
    const open = await app.make.project({ visibility: 'public' });
    await makePackage(app.deps, open.id, { type: 'terraform_module', name: 'net/aws', version: '1.0.0' });
    const response = await app.get(`${below(open.id)}/net/aws?terraform-get=1`, { token: null });
    const plain = `${app.deps.externalUrl()}/api/v4${below(open.id)}/net/aws/1.0.0?archive=tgz`;
    assert.equal(response.headers['x-terraform-get'], plain);
  });

  test('may come in a field of a form', async () => {
    const { body, headers } = multipart({}, { field: 'file', name: 'x.tgz', bytes: Buffer.from('of a form') });
    expectStatus(await put('form/aws/1.0.0', body, staff.developer.token, headers), 201);
    assert.equal((await get('form/aws/1.0.0')).body, 'of a form');
    const empty = multipart({ other: 'x' });
    const refused = await put('form/aws/2.0.0', empty.body, staff.developer.token, empty.headers);
    assert.equal(expectStatus(refused, 400).message, 'file is missing');
  });

  test('is published once a version, however many try', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map((n) => put('once/aws/1.0.0', `try ${n}`)));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 403, 403, 403]);
    const winner = answers.findIndex(({ statusCode }) => statusCode === 201);
    assert.equal((await get('once/aws/1.0.0')).body, `try ${winner + 1}`);
    assert.equal(expectStatus(await put('once/aws/1.0.0', 'again'), 403).message, DUPLICATE);
  });

  test('has its name alone in and below the top group', async () => {
    const inside = await app.make.project({ namespace: await app.make.group({ parent: group }) });
    const outside = await app.make.project({ namespace: await app.make.group() });
    const publish = (id: number, path: string) =>
      app.put(`${below(id)}/${path}/file`, { body: 'x', headers: { 'content-type': 'application/octet-stream' } });
    expectStatus(await put('alone/aws/1.0.0', 'x'), 201);
    const refused = expectStatus(await publish(inside.id, 'alone/aws/2.0.0'), 403);
    assert.equal(refused.message, 'A module with the same name already exists in the namespace.');
    expectStatus(await publish(inside.id, 'alone/gcp/1.0.0'), 201);
    expectStatus(await publish(outside.id, 'alone/aws/1.0.0'), 201);
    const both = await Promise.all([publish(inside.id, 'race/aws/1.0.0'), publish(project.id, 'race/aws/2.0.0')]);
    assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [201, 403]);
    const rows = await app.deps.db.selectFrom('packages').select('id').where('name', '=', 'race/aws').execute();
    assert.equal(rows.length, 1);
  });

  test('is refused by names that are none', async () => {
    for (const [path, status, message] of [
      ['Net/aws/1.0.0', 422, 'Validation failed: Name is invalid'],
      ['net/a_b/1.0.0', 422, 'Validation failed: Name is invalid'],
      ['net%2fx/aws/1.0.0', 422, 'Validation failed: Name is invalid'],
      [`${'a'.repeat(200)}/aws/1.0.0`, 422, 'Validation failed: Name is invalid'],
      ['net/aws/v1.0.0', 400, 'Validation failed: Version should follow SemVer: https://semver.org'],
      ['net/aws/1.0', 400, 'Validation failed: Version should follow SemVer: https://semver.org'],
      ['net/aws/..%2f1.0.0', 400, 'Validation failed: Version should follow SemVer: https://semver.org'],
    ] as const) {
      assert.equal(expectStatus(await put(path, 'x'), status).message, message, path);
    }
    const large = await put('net/aws/9.0.0', 'x', staff.developer.token, { 'content-length': '2000000000' });
    assert.equal(expectStatus(large, 400).message, '400 Bad request - File is too large');
    expectStatus(await get('net/aws/9.0.0'), 404);
    expectStatus(await get('none/aws'), 404);
  });

  test('by role', async () => {
    for (const role of ['guest', 'planner'] as const) expectStatus(await get('net/aws', staff[role].token), 403);
    for (const role of ['reporter', 'owner'] as const) {
      assert.equal((await get('net/aws', staff[role].token)).statusCode, 200);
    }
    for (const role of ['guest', 'planner', 'reporter'] as const) {
      expectStatus(await put('net/aws/3.0.0', 'x', staff[role].token), 403);
    }
    for (const [role, version] of [
      ['developer', '3.0.0'],
      ['maintainer', '3.0.1'],
      ['owner', '3.0.2'],
    ] as const) {
      expectStatus(await put(`roles/aws/${version}`, 'x', staff[role].token), 201);
    }
    expectStatus(await get('net/aws', staff.stranger.token), 404);
    expectStatus(await put('net/aws/3.0.0', 'x', staff.stranger.token), 404);
    for (const response of [await get('net/aws', null), await put('net/aws/3.0.0', 'x', null)]) {
      expectStatus(response, 401);
      assert.match(String(response.headers['www-authenticate']), /^Basic realm=/);
    }
  });

  test('by tokens of all kinds in all places', async () => {
    const json = { name: 'deploy', scopes: ['write_package_registry'] };
    const deploy = expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, { json }),
      201,
    );
    const held = await holdJob(app, project, { columns: { user_id: staff.developer.user.id } });
    const basic = (name: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    });
    for (const [index, headers] of [
      { 'PRIVATE-TOKEN': staff.developer.token },
      { 'JOB-TOKEN': held.token },
      { 'DEPLOY-TOKEN': deploy.token },
      { authorization: `Bearer ${deploy.token}` },
      basic('gitlab-ci-token', held.token),
      basic(deploy.username, deploy.token),
    ].entries()) {
      expectStatus(await put(`tokens/aws/1.0.${index}`, 'x', null, headers), 201);
      assert.equal((await get(`tokens/aws/1.0.${index}`, null, headers)).body, 'x');
    }
  });

  test('is protected as other packages are', async () => {
    const now = new Date().toISOString();
    const rule = { package_name_pattern: 'kept/*', minimum_access_level_for_push: 'maintainer' } as const;
    await app.deps.db
      .insertInto('package_protection_rules')
      .values({ project_id: project.id, package_type: 'terraform_module', ...rule, created_at: now, updated_at: now })
      .execute();
    expectStatus(await put('kept/aws/1.0.0', 'x', staff.developer.token), 403);
    expectStatus(await put('kept/aws/1.0.0', 'x', staff.maintainer.token), 201);
  });
});

test('Terraform is told where modules are', async () => {
  const address = `${await app.listen()}/.well-known/terraform.json`;
  const response = await fetch(address);
  assert.deepEqual(
    [response.status, await response.json()],
    [200, { 'modules.v1': '/api/v4/packages/terraform/modules/v1/' }],
  );
});

test('a version without its archive is 404', async () => {
  await makePackage(app.deps, project.id, { type: 'terraform_module', name: 'bare/aws', version: '1.0.0' });
  expectStatus(await get('bare/aws/1.0.0'), 404);
  expectStatus(await get('bare/aws', ROOT_TOKEN), 404);
});
