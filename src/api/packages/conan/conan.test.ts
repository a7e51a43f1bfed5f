import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { beforeTransaction } from '../../../../test/support/meanwhile.ts';
import { deletedByMaintainers } from '../../../../test/support/packages.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
  staff = await app.make.members(project);
});
after(() => app.close());

const R1 = 'a'.repeat(32);
const R2 = 'b'.repeat(40);
const P1 = '1'.repeat(32);
const P2 = '2'.repeat(32);
const BIN = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const INFO =
  '[constructor]\na=b\n[__proto__]\na=b\n[settings]\nos=Linux\n__proto__=x\n[options]\nshared=False\n[requires]\nzlib/1.3\n';
const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});

const url = (path: string) => `/projects/${project.id}/packages/conan/${path}`;
const of = (recipe: string, path: string) => url(`v2/conans/${recipe}/${path}`);
const put = (path: string, body: string | Buffer, token: string | null = staff.developer.token, headers = {}) =>
  app.put(path, { token, body, headers: { 'content-type': 'application/octet-stream', ...headers } });
const get = (path: string, token: string | null = staff.reporter.token, headers = {}) =>
  app.get(path, { token, headers });
const remove = (path: string, token: string | null = staff.maintainer.token) => app.delete(path, { token });

/** A revision of a recipe, and one of a package that it built. */
async function upload(recipe: string, revision: string, built?: string): Promise<void> {
  for (const file of ['conan_export.tgz', 'conanfile.py', 'conanmanifest.txt']) {
    expectStatus(await put(of(recipe, `revisions/${revision}/files/${file}`), `${file} of ${revision}`), 200);
  }
  if (built === undefined) return;
  for (const [file, text] of [
    ['conan_package.tgz', 'tgz'],
    ['conaninfo.txt', INFO],
    ['conanmanifest.txt', built],
  ] as const) {
    expectStatus(
      await put(of(recipe, `revisions/${revision}/packages/${BIN}/revisions/${built}/files/${file}`), text),
      200,
    );
  }
}

const revisions = async (path: string) => {
  const response = expectStatus<{ revisions: { revision: string; time: string }[] }>(await get(path), 200);
  return response.revisions.map(({ revision }) => revision);
};

describe('a Conan recipe', () => {
  const recipe = 'zlib/1.3.1/_/_';

  test('is uploaded with its packages and read again', async () => {
    expectStatus(await put(of(recipe, `revisions/${R1}/files/conanfile.py`), 'early'), 200);
    assert.equal(expectStatus(await get(of(recipe, 'latest')), 404).message, '404 Revision Not Found');
    expectStatus(await put(of(recipe, `revisions/${R1}/files/conanfile.py`), 'early'), 200);
    expectStatus(await put(of(recipe, `revisions/${R1}/files/conanmanifest.txt`), 'm'), 200);
    await upload(recipe, R2, P1);
    const latest = expectStatus<{ revision: string; time: string }>(await get(of(recipe, 'latest')), 200);
    assert.equal(latest.revision, R2);
    assert.ok(!Number.isNaN(Date.parse(latest.time)));
    assert.deepEqual(await revisions(of(recipe, 'revisions')), [R2, R1]);
    const below = `revisions/${R2}/packages/${BIN}`;
    assert.equal(expectStatus(await get(of(recipe, `${below}/latest`)), 200).revision, P1);
    const packages = expectStatus<{ packageReference: string }>(await get(of(recipe, `${below}/revisions`)), 200);
    assert.equal(packages.packageReference, `zlib/1.3.1@_/_#${R2}:${BIN}`);
    assert.deepEqual(expectStatus(await get(of(recipe, `revisions/${R2}/files`)), 200), {
      files: { 'conan_export.tgz': {}, 'conanfile.py': {}, 'conanmanifest.txt': {} },
    });
    assert.deepEqual(expectStatus(await get(of(recipe, `${below}/revisions/${P1}/files`)), 200), {
      files: { 'conan_package.tgz': {}, 'conaninfo.txt': {}, 'conanmanifest.txt': {} },
    });
    assert.equal((await get(of(recipe, `revisions/${R2}/files/conanfile.py`))).body, `conanfile.py of ${R2}`);
    assert.equal((await get(of(recipe, `revisions/${R1}/files/conanfile.py`))).body, 'early');
    assert.equal((await get(of(recipe, `${below}/revisions/${P1}/files/conan_package.tgz`))).body, 'tgz');
    for (const path of ['search', `revisions/${R2}/search?list_only=True`]) {
      const packagesById = expectStatus<Record<string, Record<string, unknown>>>(await get(of(recipe, path)), 200);
      assert.deepEqual(Object.keys(packagesById), [BIN]);
      assert.equal(packagesById[BIN]!.content, INFO);
      assert.equal((packagesById[BIN]!.settings as Record<string, string>).os, 'Linux');
      assert.deepEqual(packagesById[BIN]!.requires, ['zlib/1.3']);
    }
    assert.deepEqual(expectStatus(await get(of(recipe, `revisions/${R1}/search`)), 200), {});
    const [listed] = expectStatus<Record<string, unknown>[]>(
      await app.get(`/projects/${project.id}/packages?package_type=conan`),
      200,
    );
    assert.deepEqual([listed!.name, listed!.version, listed!.conan_package_name], ['zlib/1.3.1@_/_', '1.3.1', 'zlib']);
  });

  test('is searched for by its parts', async () => {
    for (const each of ['Find/1.0/ada/stable', 'find/2.0/_/_', 'finder/1.0/_/_']) await upload(each, R1);
    const search = async (q: string, more = '') =>
      expectStatus<{ results: string[] }>(
        await get(url(`v2/conans/search?q=${encodeURIComponent(q)}${more}`)),
        200,
      ).results.sort();
    assert.deepEqual(await search('find'), ['Find/1.0@ada/stable', 'find/2.0@_/_']);
    assert.deepEqual(await search('find*'), ['Find/1.0@ada/stable', 'find/2.0@_/_', 'finder/1.0@_/_']);
    assert.deepEqual(await search('find', '&ignorecase=False'), ['find/2.0@_/_']);
    assert.deepEqual(await search('find/2.0'), ['find/2.0@_/_']);
    assert.deepEqual(await search('*/1.0@*stable'), ['Find/1.0@ada/stable']);
    assert.deepEqual(await search('*'), []);
    assert.deepEqual(await search('f_nd'), []);
    for (const [q, message] of [
      ['x'.repeat(200), /less than 200 characters/],
      ['*a*b*c*d*e*', /Maximum is 5/],
    ] as const) {
      assert.match(String(expectStatus(await get(url(`v2/conans/search?q=${q}`)), 400).message), message);
    }
  });

  test('stays as it is in a revision', async () => {
    const fixed = 'fixed/1.0/_/_';
    await upload(fixed, R1, P1);
    const below = `revisions/${R1}`;
    for (const [path, text] of [
      [`${below}/files/conanfile.py`, 'other'],
      [`${below}/files/conanfile.py`, `conanfile.py of ${R1}`],
      [`${below}/packages/${BIN}/revisions/${P1}/files/conaninfo.txt`, INFO],
    ] as const) {
      assert.match(String(expectStatus(await put(of(fixed, path), text), 400).message), /File name already exists/);
    }
    expectStatus(await put(of(fixed, `revisions/${R2}/files/conanfile.py`), 'one'), 200);
    expectStatus(await put(of(fixed, `revisions/${R2}/files/conanfile.py`), 'two'), 400);
  });

  test('is refused by names that are none, and without bytes', async () => {
    const file = (recipe: string, revision = R1, name = 'conanfile.py') =>
      put(of(recipe, `revisions/${revision}/files/${name}`), 'x');
    for (const [response, status] of [
      [await file('z/1.0/_/_'), 400],
      [await file('a b/1.0/_/_'.replace(' ', '%20')), 400],
      [await file('zlib/..%2f..%2fx/_/_'), 400],
      [await file('zlib/1.0/_/stable'), 404],
      [await file('zlib/1.0/a%27/stable'), 400],
      [await file('zlib/1.0/_/_', 'A'.repeat(32)), 400],
      [await file('zlib/1.0/_/_', '0'), 400],
      [await file('zlib/1.0/_/_', R1, 'other.py'), 400],
      [await file('zlib/1.0/_/_', R1, 'conaninfo.txt'), 400],
      [await put(of('zlib/1.0/_/_', `revisions/${R1}/packages/a-b/revisions/${P1}/files/conaninfo.txt`), 'x'), 400],
      [await put(of('zlib/1.0/_/_', `revisions/${R1}/files/conanfile.py`), ''), 400],
    ] as const) {
      expectStatus(response, status);
    }
    const path = of('zlib/1.0/_/_', `revisions/${R1}/files/conanfile.py`);
    const tried = await put(path, '', staff.developer.token, { 'x-checksum-deploy': 'true' });
    assert.equal(expectStatus(tried, 404).message, '404 Non checksum storage Not Found');
    assert.equal(expectStatus(await get(of('zlib/1.0/_/_', 'latest')), 404).message, '404 Package Not Found');
  });

  test('has binaries that depend on no settings', async () => {
    const header = 'header/1.0/_/_';
    await upload(header, R1);
    const below = `revisions/${R1}/packages/${BIN}`;
    for (const [file, text] of [
      ['conan_package.tgz', 'tgz'],
      ['conaninfo.txt', ''],
      ['conanmanifest.txt', P1],
    ] as const) {
      expectStatus(await put(of(header, `${below}/revisions/${P1}/files/${file}`), text), 200);
    }
    const binaries = expectStatus<Record<string, object>>(await get(of(header, 'search')), 200);
    assert.deepEqual(Object.keys(binaries), [BIN]);
    const info = await get(of(header, `${below}/revisions/${P1}/files/conaninfo.txt`));
    assert.deepEqual([info.statusCode, info.body], [200, '']);
  });

  test('is not there by other names', async () => {
    await upload('there/1.0/_/_', R1);
    for (const [path, message] of [
      [`there/2.0/_/_/revisions`, '404 Package Not Found'],
      [`there/1.0/_/_/revisions/${R2}/files`, '404 Recipe files Not Found'],
      [`there/1.0/_/_/revisions/${R1}/packages/${BIN}/revisions/${P1}/files`, '404 Package files Not Found'],
      [`there/1.0/_/_/revisions/${R1}/packages/${BIN}/latest`, '404 Revision Not Found'],
      [`there/1.0/_/_/revisions/${R1}/files/conan_sources.tgz`, '404 Package file Not Found'],
    ] as const) {
      assert.equal(expectStatus(await get(url(`v2/conans/${path}`)), 404).message, message);
    }
  });

  test('is deleted by revisions, by those who may', async () => {
    const gone = 'gone/1.0/_/_';
    await upload(gone, R1, P1);
    await upload(gone, R2, P1);
    await upload(gone, 'c'.repeat(32), P2);
    const path = of(gone, `revisions/${R1}`);
    await deletedByMaintainers(staff, 200, (token) => remove(path, token));
    assert.deepEqual(await revisions(of(gone, 'revisions')), ['c'.repeat(32), R2]);
    const binary = `revisions/${R2}/packages/${BIN}`;
    expectStatus(await remove(of(gone, `${binary}/revisions/${P1}`)), 200);
    assert.deepEqual(await revisions(of(gone, `${binary}/revisions`)), []);
    for (const revision of [R2, 'c'.repeat(32)]) expectStatus(await remove(of(gone, `revisions/${revision}`)), 200);
    expectStatus(await get(of(gone, 'revisions')), 404);
    await app.drain();
    await upload(gone, R1, P1);
    assert.deepEqual(await revisions(of(gone, 'revisions')), [R1]);
  });

  test('stays with a revision that is published while its last one is deleted', async () => {
    const remaining = 'kept/1.0/_/_';
    await upload(remaining, R1);
    beforeTransaction(app, () => upload(remaining, R2));
    expectStatus(await remove(of(remaining, `revisions/${R1}`)), 409);
    assert.deepEqual(await revisions(of(remaining, 'revisions')), [R2, R1]);
    expectStatus(await remove(of(remaining, `revisions/${R1}`)), 200);
    assert.deepEqual(await revisions(of(remaining, 'revisions')), [R2]);
  });

  test('is protected by its name or the whole recipe', async () => {
    for (const package_name_pattern of ['safe', 'lock/2.0@*']) {
      const json = { package_name_pattern, package_type: 'conan', minimum_access_level_for_push: 'maintainer' };
      expectStatus(await app.post(`/projects/${project.id}/packages/protection/rules`, { json }), 201);
    }
    for (const [each, status] of [
      ['safe/1.0/_/_', 403],
      ['lock/2.0/_/_', 403],
      ['lock/1.0/_/_', 200],
      ['safer/1.0/_/_', 200],
    ] as const) {
      expectStatus(await put(of(each, `revisions/${R1}/files/conanfile.py`), 'x'), status);
    }
    expectStatus(await put(of('safe/1.0/_/_', `revisions/${R1}/files/conanfile.py`), 'x', staff.owner.token), 200);
  });
});

describe('who', () => {
  const recipe = 'who/1.0/_/_';
  before(() => upload(recipe, R1, P1));

  test('logs in and goes on with what they were given', async () => {
    expectStatus(await get(url('v1/ping'), null), 200);
    assert.equal((await get(url('v1/ping'), null)).headers['x-conan-server-capabilities'], 'revisions');
    const deploy = expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, {
        json: { name: 'deploy', scopes: ['write_package_registry'] },
      }),
      201,
    );
    const held = await holdJob(app, project, { columns: { user_id: 1 } });
    let made = 0;
    for (const headers of [
      basic('any', staff.developer.token),
      basic(deploy.username, deploy.token),
      basic('ci_user', held.token),
    ]) {
      for (const version of ['v1', 'v2']) {
        const login = await get(url(`${version}/users/authenticate`), null, headers);
        assert.equal(login.statusCode, 200, login.body);
        assert.match(String(login.headers['content-type']), /^text\/plain/);
        assert.ok(!login.body.includes(staff.developer.token));
        const bearer = { authorization: `Bearer ${login.body}` };
        assert.equal((await get(url(`${version}/users/check_credentials`), null, bearer)).body, 'ok');
        expectStatus(await get(of(recipe, 'latest'), null, bearer), 200);
        made += 1;
        expectStatus(
          await put(of(`login${made}/1.0/_/_`, `revisions/${R1}/files/conanfile.py`), 'x', null, bearer),
          200,
        );
        // A login is for Conan alone.
        expectStatus(await app.get(`/projects/${project.id}`, { token: null, headers: bearer }), 401);
      }
      expectStatus(await get(of(recipe, 'latest'), null, headers), 200);
    }
    const { developer } = staff;
    const login = await get(url('v2/users/authenticate'), null, basic('any', developer.token));
    await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', developer.user.id).execute();
    const blocked = await get(of(recipe, 'latest'), null, { authorization: `Bearer ${login.body}` });
    assert.ok([401, 403].includes(blocked.statusCode));
    await app.deps.db.updateTable('users').set({ state: 'active' }).where('id', '=', developer.user.id).execute();
    for (const version of ['v1', 'v2']) {
      for (const path of ['authenticate', 'check_credentials']) {
        const response = await get(url(`${version}/users/${path}`), null);
        expectStatus(response, 401);
        assert.match(String(response.headers['www-authenticate']), /^Basic realm=/);
      }
      expectStatus(await get(url(`${version}/users/check_credentials`), null, { authorization: 'Bearer unset' }), 401);
    }
  });

  test('reads and writes', async () => {
    for (const [who, reads, writes] of [
      [staff.guest, 403, 403],
      [staff.planner, 403, 403],
      [staff.reporter, 200, 403],
      [staff.developer, 200, 400],
      [staff.stranger, 404, 404],
    ] as const) {
      for (const path of [
        of(recipe, 'latest'),
        of(recipe, 'search'),
        of(recipe, 'revisions'),
        of(recipe, `revisions/${R1}/files`),
        url('v2/conans/search?q=who'),
      ]) {
        expectStatus(await get(path, who.token), reads);
      }
      expectStatus(await put(of(recipe, `revisions/${R1}/files/conanfile.py`), 'x', who.token), writes);
    }
    const anonymous = await get(of(recipe, 'latest'), null);
    expectStatus(anonymous, 401);
    assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
    expectStatus(await put(of(recipe, `revisions/${R1}/files/conanfile.py`), 'x', null), 401);
  });
});
