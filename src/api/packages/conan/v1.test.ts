import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
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

const BIN = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const R1 = 'a'.repeat(32);
const INFO = '[settings]\n    os=Linux\n[options]\n[recipe_hash]\n    0123\n';
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
type Texts = Record<string, string>;
type Who = string | null;

const remote = () => `/projects/${project.id}/packages/conan`;
const of = (recipe: string, path = '') => `${remote()}/v1/conans/${recipe}${path}`;
const file = (recipe: string, path: string) => `${remote()}/v1/files/${recipe}/${path}`;
const get = (path: string, token: Who = staff.reporter.token) => app.get(path, { token });
const put = (path: string, body: string, token: Who = staff.developer.token, headers: Texts = {}) =>
  app.put(path, { token, body, headers: { 'content-type': 'application/octet-stream', ...headers } });
const below = (address: string) => {
  assert.ok(address.startsWith(`${app.deps.externalUrl()}/api/v4/`), address);
  return address.slice(`${app.deps.externalUrl()}/api/v4`.length);
};

/** Asks where files go and puts them there, as a client does. */
async function upload(at: string, files: Texts, token: Who = staff.developer.token): Promise<void> {
  const json = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.length]));
  const urls = expectStatus<Texts>(await app.post(`${at}/upload_urls`, { token, json }), 200);
  assert.deepEqual(Object.keys(urls).sort(), Object.keys(files).sort());
  for (const [name, text] of Object.entries(files)) expectStatus(await put(below(urls[name]!), text, token), 200);
}
const RECIPE = { 'conanfile.py': 'class A', 'conanmanifest.txt': 'm' };
const BUILT = { 'conan_package.tgz': 'tgz', 'conaninfo.txt': INFO, 'conanmanifest.txt': 'n' };
const binary = `/packages/${BIN}`;

describe('a Conan recipe by version 1', () => {
  const recipe = 'zlib/1.3.1/ada/stable';

  test('is uploaded with a package, found and read again', async () => {
    assert.deepEqual(expectStatus(await get(of(recipe)), 200), {});
    await upload(of(recipe), RECIPE);
    await upload(of(recipe, binary), BUILT);
    for (const [at, files] of [
      [of(recipe), RECIPE],
      [of(recipe, binary), BUILT],
    ] as const) {
      const sums = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, md5(text)]));
      assert.deepEqual(expectStatus(await get(at), 200), sums);
      const urls = expectStatus<Texts>(await get(`${at}/download_urls`), 200);
      assert.deepEqual(Object.keys(urls).sort(), Object.keys(files).sort());
      for (const [name, text] of Object.entries(files)) {
        const response = await get(below(urls[name]!));
        assert.deepEqual([response.statusCode, response.body], [200, text]);
      }
      const digest = expectStatus<Texts>(await get(`${at}/digest`), 200);
      assert.deepEqual(digest, { 'conanmanifest.txt': urls['conanmanifest.txt'] });
    }
    const search = await get(`${remote()}/v1/conans/search?q=zlib*`);
    assert.deepEqual(expectStatus(search, 200), { results: ['zlib/1.3.1@ada/stable'] });
    const packages = expectStatus<Record<string, { settings: Texts; recipe_hash: string }>>(
      await get(of(recipe, '/search')),
      200,
    );
    assert.deepEqual([packages[BIN]!.settings, packages[BIN]!.recipe_hash], [{ os: 'Linux' }, '0123']);
    // It has no revision that version 2 could name.
    const latest = await get(`${remote()}/v2/conans/${recipe}/latest`);
    assert.equal(expectStatus(latest, 404).message, '404 Revision Not Found');
  });

  test('is uploaded again: what came last is read', async () => {
    const again = 'again/1.0/_/_';
    await upload(of(again), RECIPE);
    await upload(of(again), { 'conanfile.py': 'class B', 'conanmanifest.txt': 'm' });
    await upload(of(again), { 'conanfile.py': 'class A' });
    assert.equal((await get(file(again, '0/export/conanfile.py'))).body, 'class A');
    assert.deepEqual(expectStatus(await get(of(again)), 200), {
      'conanfile.py': md5('class A'),
      'conanmanifest.txt': md5('m'),
    });
  });

  test('is told from what version 2 uploads', async () => {
    const both = 'both/1.0/_/_';
    await upload(of(both), RECIPE);
    for (const [name, text] of [
      ['conanfile.py', 'newer'],
      ['conanmanifest.txt', 'x'],
    ] as const) {
      expectStatus(await put(`${remote()}/v2/conans/${both}/revisions/${R1}/files/${name}`, text), 200);
    }
    assert.equal((await get(file(both, '0/export/conanfile.py'))).body, 'class A');
    const revisions = expectStatus<{ revisions: { revision: string }[] }>(
      await get(`${remote()}/v2/conans/${both}/revisions`),
      200,
    );
    assert.deepEqual(
      revisions.revisions.map(({ revision }) => revision),
      [R1],
    );
  });

  test('is refused in parts and with names that are none', async () => {
    await upload(of('part/1.0/_/_'), { 'conanfile.py': 'x' });
    for (const [path, status, message] of [
      [of('part/1.0/_/_', '/digest'), 404, 'No recipe manifest found'],
      [of('part/1.0/_/_', '/download_urls'), 404, 'No recipe manifest found'],
      [of('none/1.0/_/_', '/download_urls'), 404, 'No recipe manifest found'],
      [of('none/1.0/_/_', '/search'), 404, '404 Package Not Found'],
      [of('none/1.0/_/stable'), 404, '404 Package Not Found'],
      [of('no%20ne/1.0/_/_'), 400, 'package_name is invalid'],
      [of('part/1.0/_/_', '/packages/a-b'), 400, 'conan_package_reference is invalid'],
      [file('part/1.0/_/_', `${R1}/export/conanfile.py`), 400, 'recipe_revision is invalid'],
      [file('part/1.0/_/_', `0/package/${BIN}/${R1}/conaninfo.txt`), 400, 'package_revision is invalid'],
      [file('part/1.0/_/_', '0/export/conan_export.tgz'), 404, '404 Package file Not Found'],
    ] as const) {
      assert.equal(expectStatus(await get(path), status).message, message, path);
    }
    const urls = await app.post(of('part/1.0/_/_', '/upload_urls'), {
      token: staff.developer.token,
      json: { 'evil.txt': 1, 'conaninfo.txt': 1, 'conanfile.py': 1 },
    });
    assert.deepEqual(Object.keys(expectStatus<Texts>(urls, 200)), ['conanfile.py']);
    for (const path of ['0/export/conaninfo.txt', `0/package/${BIN}/0/conanfile.py`, '0/export/evil.txt']) {
      assert.equal(
        expectStatus(await put(file('part/1.0/_/_', path), 'x'), 400).message,
        'file_name does not have a valid value',
      );
    }
    expectStatus(await put(file('part/1.0/_/_', '0/export/conanmanifest.txt'), ''), 400);
    const tried = await put(file('part/1.0/_/_', '0/export/conanmanifest.txt'), '', staff.developer.token, {
      'x-checksum-deploy': 'true',
    });
    expectStatus(tried, 404);
  });

  test('is read, written and deleted by those who may', async () => {
    const who = 'who/1.0/_/_';
    await upload(of(who), RECIPE);
    await upload(of(who, binary), BUILT);
    for (const [token, reads, writes] of [
      [null, 401, 401],
      [staff.stranger.token, 404, 404],
      [staff.guest.token, 403, 403],
      [staff.planner.token, 403, 403],
      [staff.reporter.token, 200, 403],
      [staff.developer.token, 200, 200],
    ] as const) {
      for (const path of [
        of(who),
        of(who, '/digest'),
        of(who, '/download_urls'),
        of(who, '/search'),
        of(who, binary),
        `${remote()}/v1/conans/search?q=who`,
        file(who, '0/export/conanfile.py'),
        file(who, `0/package/${BIN}/0/conaninfo.txt`),
      ]) {
        const response = await get(path, token);
        assert.equal(response.statusCode, reads, response.body);
      }
      for (const at of [of(who), of(who, binary)]) {
        expectStatus(await app.post(`${at}/upload_urls`, { token, json: { 'conanmanifest.txt': 1 } }), writes);
      }
      expectStatus(await put(file(who, '0/export/conanmanifest.txt'), 'm', token), writes);
      expectStatus(await put(file(who, `0/package/${BIN}/0/conanmanifest.txt`), 'n', token), writes);
      expectStatus(await app.delete(of(who), { token }), writes === 200 ? 403 : writes);
    }
    expectStatus(await app.delete(of(who), { token: staff.maintainer.token }), 200);
    expectStatus(await app.delete(of(who), { token: staff.maintainer.token }), 404);
    assert.deepEqual(expectStatus(await get(of(who)), 200), {});
  });

  test('is protected from pushes', async () => {
    const json = { package_name_pattern: 'safe', package_type: 'conan', minimum_access_level_for_push: 'maintainer' };
    expectStatus(await app.post(`/projects/${project.id}/packages/protection/rules`, { json }), 201);
    expectStatus(await put(file('safe/1.0/_/_', '0/export/conanfile.py'), 'x'), 403);
    expectStatus(await put(file('safe/1.0/_/_', '0/export/conanfile.py'), 'x', staff.owner.token), 200);
  });
});

describe('a Conan recipe at the remote of the server', () => {
  const instance = (path: string) => `/packages/conan/v1/${path}`;
  const mine = () => `zlib/1.0/${project.full_path.replaceAll('/', '+')}/stable`;

  test('is of the project that its user names', async () => {
    assert.equal((await get(instance('ping'), null)).headers['x-conan-server-capabilities'], 'revisions');
    const at = instance(`conans/${mine()}`);
    await upload(at, RECIPE);
    await upload(`${at}${binary}`, BUILT);
    const urls = expectStatus<Texts>(await get(`${at}/download_urls`), 200);
    for (const address of Object.values(urls)) assert.match(below(address), /^\/packages\/conan\/v1\/files\//);
    assert.equal((await get(below(urls['conanfile.py']!))).body, 'class A');
    assert.equal((await get(file(mine(), '0/export/conanfile.py'))).body, 'class A');
    assert.deepEqual(Object.keys(expectStatus(await get(`${at}/search`), 200)), [BIN]);
    await upload(of('zlib/2.0/some+body/stable'), RECIPE);
    const search = async (token: Who) =>
      expectStatus<{ results: string[] }>(await get(instance('conans/search?q=zlib*'), token), 200).results;
    assert.deepEqual(await search(staff.reporter.token), [mine().replace(/1\.0\//, '1.0@')]);
    for (const token of [null, staff.stranger.token, staff.guest.token]) assert.deepEqual(await search(token), []);
  });

  test('is read, written and deleted by those who may', async () => {
    const at = instance(`conans/${mine()}`);
    const manifest = instance(`files/${mine()}/0/export/conanmanifest.txt`);
    for (const [token, reads, writes] of [
      [null, 401, 401],
      [staff.stranger.token, 404, 404],
      [staff.guest.token, 403, 403],
      [staff.reporter.token, 200, 403],
      [staff.developer.token, 200, 200],
    ] as const) {
      for (const path of [at, `${at}/digest`, `${at}/search`, `${at}${binary}`, manifest]) {
        const response = await get(path, token);
        assert.equal(response.statusCode, reads, response.body);
      }
      expectStatus(await app.post(`${at}/upload_urls`, { token, json: { 'conanmanifest.txt': 1 } }), writes);
      expectStatus(await put(manifest, 'm', token), writes);
      expectStatus(await app.delete(at, { token }), writes === 200 ? 403 : writes);
    }
    for (const user of ['_', 'no+such', String(project.id)]) {
      const other = instance(`conans/zlib/1.0/${user}/stable`);
      expectStatus(await get(other, null), 401);
      expectStatus(await get(other), 404);
      expectStatus(await app.post(`${other}/upload_urls`, { token: staff.owner.token, json: {} }), 404);
    }
    expectStatus(await app.delete(at, { token: staff.maintainer.token }), 200);
    assert.deepEqual(expectStatus(await get(at), 200), {});
  });
});
