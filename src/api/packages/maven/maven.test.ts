import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'private' });
  staff = await app.make.members(project);
});
after(() => app.close());

const at = (path: string) => `/projects/${project.id}/packages/maven/${path}`;
const put = (path: string, body: string | Buffer, token: string | null = staff.developer.token, headers = {}) =>
  app.put(at(path), { token, body, headers: { 'content-type': 'application/octet-stream', ...headers } });
const get = (path: string, token: string | null = staff.reporter.token, headers = {}) =>
  app.get(at(path), { token, headers });
const hashed = (kind: string, text: string) => createHash(kind).update(text).digest('hex');
const packagesOf = (name: string) =>
  app.deps.db.selectFrom('packages').selectAll().where('name', '=', name).orderBy('id').execute();

describe('a file of a Maven package', () => {
  test('is published and downloaded with its checksums', async () => {
    assert.equal(expectStatus(await put('com/ex/app/1.0/app-1.0.jar', 'the jar'), 200), undefined);
    const got = await get('com/ex/app/1.0/app-1.0.jar');
    assert.equal(got.statusCode, 200);
    assert.equal(got.body, 'the jar');
    assert.equal(got.headers['x-checksum-sha1'], hashed('sha1', 'the jar'));
    assert.equal(got.headers['x-checksum-md5'], hashed('md5', 'the jar'));
    for (const kind of ['md5', 'sha1', 'sha256', 'sha512']) {
      const response = await get(`com/ex/app/1.0/app-1.0.jar.${kind}`);
      assert.equal(response.body, hashed(kind, 'the jar'));
      assert.match(String(response.headers['content-type']), /^text\/plain/);
    }
    const [row, ...others] = await packagesOf('com/ex/app');
    assert.deepEqual([row?.version, row?.package_type, others.length], ['1.0', 'maven', 0]);
  });

  test('is told by HEAD, which is no download', async () => {
    expectStatus(await put('com/ex/head/1.0/head-1.0.jar', 'head'), 200);
    for (const [path, length] of [
      ['com/ex/head/1.0/head-1.0.jar', '4'],
      ['com/ex/head/1.0/head-1.0.jar.sha1', '40'],
    ] as const) {
      const response = await app.head(at(path), { token: staff.reporter.token });
      assert.deepEqual([response.statusCode, response.headers['content-length'], response.body], [200, length, '']);
    }
    const [row] = await packagesOf('com/ex/head');
    const downloadedAt = async () =>
      expectStatus(await app.get(`/projects/${project.id}/packages/${row!.id}`), 200).last_downloaded_at;
    assert.equal(await downloadedAt(), null);
    await get('com/ex/head/1.0/head-1.0.jar');
    assert.notEqual(await downloadedAt(), null);
  });

  test('may come in a field of a form, and hide its package', async () => {
    const { body, headers } = multipart({}, { field: 'file', name: 'x.jar', bytes: Buffer.from('of a form') });
    expectStatus(await put('com/ex/form/1.0/form-1.0.jar?status=hidden', body, staff.developer.token, headers), 200);
    assert.equal((await get('com/ex/form/1.0/form-1.0.jar')).body, 'of a form');
    assert.equal((await packagesOf('com/ex/form'))[0]?.status, 'hidden');
    const empty = multipart({ other: 'x' });
    const refused = await put('com/ex/form/1.0/form-1.0.jar', empty.body, staff.developer.token, empty.headers);
    assert.equal(expectStatus(refused, 400).message, 'file is missing');
  });

  test('of the same name again is given in its last form', async () => {
    for (const text of ['first', 'second']) expectStatus(await put('com/ex/again/1.0/again-1.0.pom', text), 200);
    assert.equal((await get('com/ex/again/1.0/again-1.0.pom')).body, 'second');
    assert.equal((await get('com/ex/again/1.0/again-1.0.pom.sha1')).body, hashed('sha1', 'second'));
    assert.equal((await packagesOf('com/ex/again')).length, 1);
  });

  test('is of one package when many upload at once', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `race-1.0-${n}.jar`);
    const answers = await Promise.all(names.map((name) => put(`com/ex/race/1.0/${name}`, name)));
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    assert.equal((await packagesOf('com/ex/race')).length, 1);
    for (const name of names) assert.equal((await get(`com/ex/race/1.0/${name}`)).body, name);
  });

  test('that is not there is 404', async () => {
    for (const path of [
      'com/ex/app/1.0/other.jar',
      'com/ex/app/2.0/app-2.0.jar',
      'com/ex/app/2.0/app-2.0.jar.sha1',
      'com/ex/app/2.0/app-2.0.jar.sha256',
      'com/ex/app/maven-metadata.xml',
      'archetype-catalog.xml',
      'a/../b/1.0/x.jar',
    ]) {
      const { message } = expectStatus(await get(path.replace('..', '%2e%2e')), 404);
      assert.match(String(message), /^404 (Package )?Not Found$/, path);
    }
  });
});

describe('a checksum', () => {
  before(async () => {
    expectStatus(await put('com/ex/sum/1.0/sum-1.0.jar', 'sum'), 200);
  });

  test('of SHA-1 is compared', async () => {
    const path = 'com/ex/sum/1.0/sum-1.0.jar.sha1';
    const right = hashed('sha1', 'sum');
    for (const text of [right, right.toUpperCase(), `${right}  sum-1.0.jar\n`])
      expectStatus(await put(path, text), 204);
    for (const text of [hashed('sha1', 'other'), '', right.slice(1)]) {
      assert.equal(expectStatus(await put(path, text), 409).message, '409 Conflict');
    }
    const { message } = expectStatus(await put('com/ex/sum/1.0/none.jar.sha1', right), 404);
    assert.equal(message, '404 Package Not Found');
    expectStatus(await put(path, 'a'.repeat(2_000)), 413);
  });

  test('of MD5 is taken, and none of its own is kept', async () => {
    assert.equal(expectStatus(await put('com/ex/sum/1.0/sum-1.0.jar.md5', hashed('md5', 'other')), 200), undefined);
    assert.equal((await get('com/ex/sum/1.0/sum-1.0.jar.md5')).body, hashed('md5', 'sum'));
    expectStatus(await put('com/ex/nothing/1.0/nothing.jar.md5', 'x'), 200);
    assert.deepEqual(await packagesOf('com/ex/nothing'), []);
  });

  test('of Gradle is kept as a file, and answered as the file is by then', async () => {
    for (const kind of ['sha256', 'sha512']) {
      const path = `com/ex/sum/1.0/sum-1.0.jar.${kind}`;
      expectStatus(await put(path, hashed(kind, 'sum')), 200);
      assert.equal((await get(path)).body, hashed(kind, 'sum'));
      expectStatus(await put(path, 'of what another upload replaced'), 200);
      assert.equal((await get(path)).body, hashed(kind, 'sum'));
      const early = `com/ex/sum/1.0/early-1.0.jar.${kind}`;
      expectStatus(await put(early, 'before its file'), 200);
      assert.equal((await get(early)).body, 'before its file');
    }
    expectStatus(await put('com/ex/sum/1.0/sum-1.0.jar', 'newer'), 200);
    for (const kind of ['sha256', 'sha512']) {
      assert.equal((await get(`com/ex/sum/1.0/sum-1.0.jar.${kind}`)).body, hashed(kind, 'newer'));
    }
  });
});

test('metadata of an artifact are of no version, those of a snapshot of its version', async () => {
  for (const path of [
    'com/ex/meta/maven-metadata.xml',
    'com/ex/meta/1.0-SNAPSHOT/maven-metadata.xml',
    'com/ex/meta/1.0-SNAPSHOT/meta-1.0-20260101.120000-1.jar',
    'plugins/maven-metadata.xml',
  ]) {
    expectStatus(await get(path), 404);
    expectStatus(await put(path, path), 200);
    expectStatus(await put(`${path}.sha1`, hashed('sha1', path)), 204);
    expectStatus(await put(`${path}.sha256`, hashed('sha256', path)), 200);
    assert.equal((await get(path)).body, path);
    assert.equal((await get(`${path}.sha256`)).body, hashed('sha256', path));
  }
  const versions = (await packagesOf('com/ex/meta')).map(({ version }) => version);
  assert.deepEqual(versions, [null, '1.0-SNAPSHOT']);
  assert.deepEqual(
    (await packagesOf('plugins')).map(({ version }) => version),
    [null],
  );
});

test('paths that are none are refused', async () => {
  for (const [path, error] of [
    ['app/1.0/app.jar', 'path is invalid'],
    ['app.jar', 'path is invalid'],
    ['maven-metadata.xml', 'path is invalid'],
    ['com/ex/a%20b/1.0/app.jar', 'path is invalid'],
    ['com/ex/app/1..0/app.jar', 'path is invalid'],
    ['com/%2e%2e/app/1.0/app.jar', 'path is invalid'],
    ['com/ex/app/%2e%2e/app.jar', 'path is invalid'],
    [`com/${'a'.repeat(260)}/1.0/app.jar`, 'path is invalid'],
    ['com/ex/app/1.0/a%20b.jar', 'file_name is invalid'],
    ['com/ex/app/1.0/..%2f..%2fx.jar', 'path is invalid'],
    ['com/ex/app/1.0/a%5cb.jar', 'file_name is invalid'],
    ['com/ex/app/1.0/a.jar?status=odd', 'status does not have a valid value'],
  ] as const) {
    const response = await put(path, 'x');
    assert.equal(expectStatus(response, 400).error, error, path);
  }
  const long = expectStatus(await put(`com/ex/app/1.0/${'a'.repeat(260)}.jar`, 'x'), 400);
  assert.equal(long.message, '400 Bad request - File name is too long');
  const large = await put('com/ex/app/1.0/large.jar', 'x', staff.developer.token, { 'content-length': '4000000000' });
  assert.equal(expectStatus(large, 400).message, '400 Bad request - File is too large');
});

describe('rights', () => {
  const path = 'com/ex/rights/1.0/rights-1.0.jar';
  before(async () => {
    expectStatus(await put(path, 'x'), 200);
  });

  test('by role', async () => {
    for (const role of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
      expectStatus(await app.head(at(path), { token: staff[role].token }), 200);
      expectStatus(await put(`${path}.md5`, 'x', staff[role].token), role === 'reporter' ? 403 : 200);
    }
    for (const role of ['guest', 'planner'] as const) {
      expectStatus(await get(path, staff[role].token), 403);
      expectStatus(await put(path, 'x', staff[role].token), 403);
    }
    expectStatus(await get(path, staff.stranger.token), 404);
    expectStatus(await put(path, 'x', staff.stranger.token), 404);
    for (const response of [await get(path, null), await put(path, 'x', null)]) {
      expectStatus(response, 401);
      assert.match(String(response.headers['www-authenticate']), /^Basic realm=/);
    }
  });

  test('anonymous callers read those of public projects', async () => {
    const open = await app.make.project({ visibility: 'public' });
    const url = `/projects/${open.id}/packages/maven/com/ex/open/1.0/open-1.0.jar`;
    expectStatus(await app.put(url, { body: 'open', headers: { 'content-type': 'application/octet-stream' } }), 200);
    assert.equal((await app.get(url, { token: null })).body, 'open');
    expectStatus(await app.get(`${url}.none`, { token: null }), 404);
    expectStatus(await app.get('/projects/999999/packages/maven/com/ex/open/1.0/x', { token: null }), 401);
  });

  test('a protected package is published by those whom its rule lets', async () => {
    const now = new Date().toISOString();
    await app.deps.db
      .insertInto('package_protection_rules')
      .values({
        project_id: project.id,
        package_type: 'maven',
        package_name_pattern: 'com/ex/kept*',
        minimum_access_level_for_push: 'maintainer',
        created_at: now,
        updated_at: now,
      })
      .execute();
    const remaining = 'com/ex/kept/1.0/kept-1.0.jar';
    expectStatus(await put(remaining, 'x', staff.maintainer.token), 200);
    const refused = expectStatus(await put(remaining, 'y', staff.developer.token), 403);
    assert.equal(refused.message, '403 Forbidden - Package protected.');
    assert.equal((await get(remaining)).body, 'x');
  });

  test('tokens of all kinds in all places', async () => {
    const deployToken = async (scope: string) =>
      expectStatus<{ token: string; username: string }>(
        await app.post(`/projects/${project.id}/deploy_tokens`, { json: { name: 'deploy', scopes: [scope] } }),
        201,
      );
    const writing = await deployToken('write_package_registry');
    const reading = await deployToken('read_package_registry');
    const other = await deployToken('read_repository');
    const held = await holdJob(app, project, { columns: { user_id: staff.developer.user.id } });
    const scoped = await app.make.token(staff.developer.user.id, ['read_api']);
    const basic = (name: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    });
    const good = {
      'private header': { 'Private-Token': staff.developer.token },
      'job header': { 'Job-Token': held.token },
      'deploy header': { 'Deploy-Token': writing.token },
      bearer: { authorization: `Bearer ${staff.developer.token}` },
      'Private-Token by Basic': basic('Private-Token', staff.developer.token),
      'Job-Token by Basic': basic('Job-Token', held.token),
      'Deploy-Token by Basic': basic('Deploy-Token', writing.token),
      'any name': basic('anybody', staff.developer.token),
      'gitlab-ci-token': basic('gitlab-ci-token', held.token),
      'name of the deploy token': basic(writing.username, writing.token),
    };
    for (const [index, [way, headers]] of Object.entries(good).entries()) {
      const response = await put(`com/ex/tokens/1.0/f${index}.jar`, way, null, headers);
      assert.equal(response.statusCode, 200, `${way}: ${response.body}`);
      assert.equal((await get(`com/ex/tokens/1.0/f${index}.jar`, null, headers)).body, way);
    }
    for (const headers of [{ 'Deploy-Token': reading.token }, basic('x', scoped)]) {
      expectStatus(await put('com/ex/tokens/1.0/f.jar', 'x', null, headers), 403);
      assert.equal((await get('com/ex/tokens/1.0/f0.jar', null, headers)).statusCode, 200);
    }
    expectStatus(await get('com/ex/tokens/1.0/f0.jar', null, { 'Deploy-Token': other.token }), 403);
    for (const headers of [basic('somebody', writing.token), basic('Private-Token', 'none'), { 'Job-Token': 'none' }]) {
      const response = await get('com/ex/tokens/1.0/f0.jar', null, headers);
      expectStatus(response, 401);
      assert.match(String(response.headers['www-authenticate']), /^Basic realm=/);
    }
    const { db } = app.deps;
    const built = await db
      .selectFrom('package_pipelines')
      .innerJoin('packages', 'packages.id', 'package_pipelines.package_id')
      .select('pipeline_id')
      .distinct()
      .where('packages.name', '=', 'com/ex/tokens')
      .execute();
    assert.deepEqual(
      built.map(({ pipeline_id }) => pipeline_id),
      [held.pipeline.id],
    );
  });

  test('where the registry is closed, nobody has it', async () => {
    const closed = await app.make.project({ columns: { package_registry_access_level: 'disabled' } });
    const url = `/projects/${closed.id}/packages/maven/com/ex/app/1.0/app-1.0.jar`;
    expectStatus(await app.put(url, { body: 'x', headers: { 'content-type': 'application/octet-stream' } }), 403);
    expectStatus(await app.get(url), 403);
  });
});
