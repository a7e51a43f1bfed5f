import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { type NpmPublication, npmDigests, npmPublication } from '../../../../test/support/npm-packages.ts';
import { callerOfToken } from '../../../access/token-caller.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { lastDownload } from '../../../packages/downloads.ts';
import { destroyPackages } from '../../../packages/package-registry.destroy.ts';

interface Version {
  name: string;
  version: string;
  deprecated?: string;
  dist: { tarball: string; shasum: string; integrity: string };
  [key: string]: unknown;
}
interface Packument {
  name: string;
  'dist-tags': Record<string, string>;
  versions: Record<string, Version>;
  time: Record<string, string>;
}

let app: TestApp;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'private' });
  staff = await app.make.members(project);
});
after(() => app.close());

const at = (name: string) => `/projects/${project.id}/packages/npm/${name.replace('/', '%2f')}`;
const put = (name: string, json: unknown, token: string | null = staff.developer.token, headers = {}) =>
  app.put(at(name), { token, json, headers });
const publish = (name: string, version: string, publication?: NpmPublication, token?: string | null) =>
  put(name, npmPublication(name, version, publication), token);
const published = async (...args: Parameters<typeof publish>) =>
  assert.deepEqual(expectStatus(await publish(...args), 200), { ok: true, id: args[0] });
const view = async (name: string, token = staff.reporter.token) =>
  expectStatus<Packument>(await app.get(at(name), { token }), 200);
const rowsOf = (name: string) =>
  app.deps.db.selectFrom('packages').selectAll().where('name', '=', name).orderBy('id').execute();
/** Both keys of a refusal. */
const refusal = (response: Awaited<ReturnType<typeof publish>>, status: number) => {
  const { message, error } = expectStatus<{ message: string; error: string }>(response, status);
  return { message, error };
};
const refusedAs = (response: Awaited<ReturnType<typeof publish>>, status: number, message: string) =>
  assert.deepEqual(refusal(response, status), { message, error: message });

const rootCaller = async () => (await callerOfToken(app.deps, ROOT_TOKEN, '127.0.0.1'))!;

describe('publishing a package', () => {
  test('keeps what installing takes, with the digests of the file', async () => {
    const bytes = randomBytes(50_000);
    const manifest = {
      dependencies: { 'left-pad': '^1.0.0' },
      optionalDependencies: { fsevents: '*' },
      bundledDependencies: ['left-pad'],
      bin: { app: 'cli.js' },
      os: ['linux'],
      scripts: { postinstall: 'node build.js' },
      readme: 'x'.repeat(30_000),
      description: 'A package.',
    };
    await published('@some/app', '1.0.0', { manifest, bytes });
    const packument = await view('@some/app');
    const { shasum, integrity } = npmDigests(bytes);
    const file = `/api/v4/projects/${project.id}/packages/npm/@some/app/-/@some/app-1.0.0.tgz`;
    assert.deepEqual(packument.versions, {
      '1.0.0': {
        name: '@some/app',
        version: '1.0.0',
        bin: { app: 'cli.js' },
        os: ['linux'],
        dependencies: { 'left-pad': '^1.0.0' },
        optionalDependencies: { fsevents: '*' },
        bundleDependencies: ['left-pad'],
        hasInstallScript: true,
        dist: { tarball: `${app.deps.externalUrl()}${file}`, shasum, integrity },
      },
    });
    assert.equal(packument.name, '@some/app');
    assert.deepEqual(packument['dist-tags'], { latest: '1.0.0' });
    assert.deepEqual(Object.keys(packument.time), ['modified', '1.0.0']);
    for (const path of [file, file.replace('-/@some/', '-/'), file.replace('npm/@some/', 'npm/@some%2F')]) {
      const got = await app.get(path.slice('/api/v4'.length), { token: staff.reporter.token });
      assert.equal(got.statusCode, 200, path);
      assert.deepEqual(got.rawPayload, bytes);
    }
    const [row] = await rowsOf('@some/app');
    assert.notEqual(lastDownload(app.deps, row!), null);
    assert.equal(row!.creator_id, staff.developer.user.id);
  });

  test('takes names with and without a scope, escaped in any case', async () => {
    await published('plain-name', '1.0.0');
    await published('@some/scoped', '1.0.0');
    for (const name of ['plain-name', '@some%2fscoped', '@some%2Fscoped', '%40some%2Fscoped']) {
      expectStatus(await app.get(`/projects/${project.id}/packages/npm/${name}`), 200);
      assert.equal((await app.head(`/projects/${project.id}/packages/npm/${name}`)).statusCode, 200);
    }
  });

  test('is let to developers, and read by reporters', async () => {
    await published('roles', '1.0.0');
    for (const [who, status] of [
      [staff.guest, 403],
      [staff.planner, 403],
      [staff.reporter, 403],
      [staff.stranger, 404],
    ] as const) {
      const { message, error } = refusal(await publish('roles', '2.0.0', {}, who.token), status);
      assert.equal(message, status === 403 ? '403 Forbidden' : '404 Project Not Found');
      assert.equal(error, status === 403 ? 'Forbidden' : 'Project not found');
    }
    for (const who of [staff.developer, staff.maintainer, staff.owner]) {
      await published('roles', `1.0.${who.user.id}`, {}, who.token);
    }
    for (const path of ['roles', 'roles/-/roles-1.0.0.tgz', '-/package/roles/dist-tags', '-/ping']) {
      const address = `/projects/${project.id}/packages/npm/${path}`;
      for (const who of [staff.reporter, staff.developer])
        assert.equal((await app.get(address, { token: who.token })).statusCode, 200);
      expectStatus(await app.get(address, { token: staff.guest.token }), 403);
      expectStatus(await app.get(address, { token: staff.stranger.token }), 404);
      const anonymous = await app.get(address, { token: null });
      assert.deepEqual(refusal(anonymous, 401), { message: '401 Unauthorized', error: 'Unauthorized' });
      const nowhere = await app.get(address.replace(String(project.id), '987654'), { token: null });
      assert.equal(nowhere.body, anonymous.body);
      assert.equal(nowhere.statusCode, 401);
    }
    expectStatus(await publish('roles', '2.0.0', {}, null), 401);
  });

  test('is refused where the version is there already', async () => {
    await published('twice', '1.0.0', { bytes: Buffer.from('first') });
    refusedAs(await publish('twice', '1.0.0', { bytes: Buffer.from('second') }), 403, 'Package already exists.');
    const got = await app.get(`/projects/${project.id}/packages/npm/twice/-/twice-1.0.0.tgz`);
    assert.equal(got.body, 'first');
    assert.equal((await rowsOf('twice')).length, 1);
  });

  test('of one version eight times at once is done once, with the file that it was answered for', async () => {
    const files = Array.from({ length: 8 }, () => randomBytes(40_000));
    const answers = await Promise.all(files.map((bytes) => publish('@some/race', '1.0.0', { bytes })));
    const won = answers.findIndex(({ statusCode }) => statusCode === 200);
    for (const [index, response] of answers.entries()) {
      if (index !== won) refusedAs(response, 403, 'Package already exists.');
    }
    const { dist } = (await view('@some/race')).versions['1.0.0']!;
    assert.equal(dist.integrity, npmDigests(files[won]!).integrity);
    const got = await app.get(`/projects/${project.id}/packages/npm/@some/race/-/@some/race-1.0.0.tgz`);
    assert.deepEqual(got.rawPayload, files[won]);
    const versions = Array.from({ length: 8 }, (_each, n) => `2.${n}.0`);
    const all = await Promise.all(versions.map((version) => publish('@some/race', version)));
    for (const response of all) expectStatus(response, 200);
    assert.deepEqual(Object.keys((await view('@some/race')).versions).sort(), ['1.0.0', ...versions]);
  });

  test('is refused with words for what is wrong with it', async () => {
    const good = () => npmPublication('wrong', '1.0.0');
    const version = (text: string) => npmPublication('wrong', text);
    const semver = 'Validation failed: Version should follow SemVer: https://semver.org';
    const cases: [object | string, number, string][] = [
      [{ ...good(), name: '' }, 400, 'Name is empty.'],
      [{ ...good(), name: undefined }, 400, 'Name is empty.'],
      [{ ...good(), name: 'other' }, 400, 'Name must match the URL.'],
      [{ ...good(), versions: {} }, 400, 'Version is empty.'],
      [{ ...good(), versions: 'x' }, 400, 'Version is empty.'],
      [{ ...good(), versions: { '': {} } }, 400, 'Version is empty.'],
      [{ ...good(), versions: { '1.0.0': {}, '1.0.1': {} } }, 400, 'Only one version can be published at a time.'],
      [version('1.0'), 400, semver],
      [version('v1.0.0'), 400, semver],
      [version('01.0.0'), 400, semver],
      [version(`1.0.0-${'a'.repeat(260)}`), 400, semver],
      [{ ...good(), _attachments: {} }, 400, 'Attachment data is empty.'],
      [{ ...good(), _attachments: { 'wrong-1.0.0.tgz': { data: '' } } }, 400, 'Attachment data is empty.'],
      [
        { ...good(), _attachments: { 'wrong-1.0.0.tgz': { data: 'a.b' } } },
        400,
        'Attachment data is not valid base64.',
      ],
      [
        { ...good(), _attachments: { 'wrong-1.0.0.tgz': { data: 'abcde' } } },
        400,
        'Attachment data is not valid base64.',
      ],
      [{ ...good(), 'dist-tags': { '1.x': '1.0.0' } }, 400, 'A tag must not look like a version.'],
      [{ ...good(), 'dist-tags': { 'a b': '1.0.0' } }, 400, 'A tag must have 1 to 255 characters and no spaces.'],
      [
        { ...good(), versions: { '1.0.0': { version: '1.0.1' } } },
        400,
        'Name and version in package.json must match the package.',
      ],
      [
        npmPublication('wrong', '1.0.0', { manifest: { keywords: ['x'.repeat(20_000)] } }),
        400,
        'Validation failed: Package json structure is too large. Maximum size is 20000 characters',
      ],
      ['{', 400, 'Invalid json'],
      ['', 400, 'Name is empty.'],
      ['[]', 400, 'Invalid json'],
      ['{"_attachments":{"a":{"data":"', 400, 'Invalid json'],
      [`${'['.repeat(200)}`, 400, 'Invalid json'],
    ];
    for (const [body, status, message] of cases) {
      const response = await app.put(at('wrong'), {
        token: staff.developer.token,
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      refusedAs(response, status, message);
    }
    const { message } = refusal(await publish('what/ever', '1.0.0'), 400);
    assert.match(message, /^Validation failed: Name should be a valid NPM package name/);
    assert.deepEqual(await rowsOf('wrong'), []);
    expectStatus(await app.get(at('wrong')), 404);
  });

  test('is refused to whoever a protection rule keeps from it', async () => {
    await published('@some/kept', '1.0.0');
    const now = new Date().toISOString();
    const rule = { project_id: project.id, package_name_pattern: '@some/kept*', package_type: 'npm' } as const;
    await app.deps.db
      .insertInto('package_protection_rules')
      .values({ ...rule, minimum_access_level_for_push: 'maintainer', created_at: now, updated_at: now })
      .execute();
    const { message } = refusal(await publish('@some/kept', '2.0.0'), 403);
    assert.equal(message, '403 Forbidden - Package protected.');
    expectStatus(await publish('@some/kept-too', '2.0.0'), 403);
    const tag = `/projects/${project.id}/packages/npm/-/package/@some%2fkept/dist-tags/next`;
    const asked = { body: '"1.0.0"', headers: { 'content-type': 'application/json' } };
    expectStatus(await app.put(tag, { ...asked, token: staff.developer.token }), 403);
    await published('@some/kept', '2.0.0', {}, staff.maintainer.token);
  });

  test('notes the pipeline of the job that did it', async () => {
    const { token, pipeline } = await holdJob(app, project);
    const headers = { authorization: `Bearer ${token}` };
    expectStatus(await put('by-job', npmPublication('by-job', '1.0.0'), null, headers), 200);
    const [row] = await rowsOf('by-job');
    const noted = await app.deps.db
      .selectFrom('package_pipelines')
      .select('pipeline_id')
      .where('package_id', '=', row!.id)
      .execute();
    assert.deepEqual([...new Set(noted.map(({ pipeline_id }) => pipeline_id))], [pipeline.id]);
    expectStatus(await app.get(at('by-job'), { token: null, headers }), 200);
  });

  test('is done by all kinds of tokens as npm sends them', async () => {
    const deploy = async (...scopes: string[]) =>
      expectStatus<{ token: string; username: string }>(
        await app.post(`/projects/${project.id}/deploy_tokens`, { json: { name: scopes.join(), scopes } }),
        201,
      );
    const [writing, reading] = [await deploy('write_package_registry'), await deploy('read_package_registry')];
    const basic = (name: string, secret: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
    const { token } = await holdJob(app, project);
    const good = [
      `Bearer ${writing.token}`,
      `Bearer ${staff.developer.token}`,
      basic(writing.username, writing.token),
      basic('anybody', staff.developer.token),
      basic('gitlab-ci-token', token),
    ];
    for (const [n, authorization] of good.entries()) {
      expectStatus(await put('tokens', npmPublication('tokens', `1.0.${n}`), null, { authorization }), 200);
      expectStatus(await app.get(at('tokens'), { token: null, headers: { authorization } }), 200);
    }
    const headers = { authorization: `Bearer ${reading.token}` };
    expectStatus(await app.get(at('tokens'), { token: null, headers }), 200);
    expectStatus(await put('tokens', npmPublication('tokens', '2.0.0'), null, headers), 403);
    for (const authorization of ['Bearer glpat-wrong', basic('other', writing.token), basic('x', '')]) {
      const refusing = await put('tokens', npmPublication('tokens', '2.0.0'), null, { authorization });
      assert.deepEqual(refusal(refusing, 401), { message: '401 Unauthorized', error: 'Unauthorized' });
    }
    const few = await app.make.token(staff.developer.user.id, ['read_api']);
    expectStatus(await app.get(at('tokens'), { token: few }), 200);
    expectStatus(await publish('tokens', '2.0.0', {}, few), 403);
    const username = async (authorization: string) =>
      expectStatus<{ username: string }>(
        await app.get(`/projects/${project.id}/packages/npm/-/whoami`, { token: null, headers: { authorization } }),
        200,
      ).username;
    assert.equal(await username(good[1]!), staff.developer.user.username);
    assert.equal(await username(good[0]!), writing.username);
  });

  test('is refused while the project is archived or keeps no packages', async () => {
    const closed = await app.make.project({
      visibility: 'public',
      columns: { package_registry_access_level: 'disabled' },
    });
    const old = await app.make.project({ visibility: 'public', columns: { archived: 1 } });
    for (const { id } of [closed, old]) {
      const path = `/projects/${id}/packages/npm/some`;
      expectStatus(await app.put(path, { json: npmPublication('some', '1.0.0') }), 403);
    }
    expectStatus(await app.get(`/projects/${closed.id}/packages/npm/some`), 403);
  });
});

describe('a package in a public project', () => {
  test('is read by everybody', async () => {
    const open = await app.make.project({ visibility: 'public' });
    const path = `/projects/${open.id}/packages/npm/open`;
    expectStatus(await app.put(path, { json: npmPublication('open', '1.0.0') }), 200);
    for (const token of [null, staff.stranger.token]) {
      expectStatus(await app.get(path, { token }), 200);
      assert.equal((await app.get(`${path}/-/open-1.0.0.tgz`, { token })).statusCode, 200);
      const { message, error } = refusal(await app.get(`${path}x`, { token }), 404);
      assert.deepEqual([message, error], ['404 Packages Not Found', 'Packages not found']);
      const file = refusal(await app.get(`${path}/-/open-2.0.0.tgz`, { token }), 404);
      assert.deepEqual([file.message, file.error], ['404 Package Not Found', 'Package not found']);
    }
    expectStatus(await app.get(`/projects/${open.id}/packages/npm/-/whoami`, { token: null }), 401);
  });
});

describe('the document of a package', () => {
  test('is answered with 304 to whoever has it, until something of it changes', async () => {
    await published('@some/fresh', '1.0.0');
    const token = staff.reporter.token;
    const ask = (etag?: string) =>
      app.get(at('@some/fresh'), { token, headers: etag === undefined ? {} : { 'if-none-match': etag } });
    let etag: string | undefined;
    const changes = async (work: () => Promise<unknown>) => {
      await work();
      const response = await ask(etag);
      assert.equal(response.statusCode, 200);
      etag = String(response.headers.etag);
      assert.equal((await ask(etag)).statusCode, 304);
      return response.json<Packument>();
    };
    await changes(async () => {});
    const tag = `/projects/${project.id}/packages/npm/-/package/@some%2ffresh/dist-tags/next`;
    await changes(() => published('@some/fresh', '1.1.0', { tag: 'beta' }));
    const tagged = await changes(async () =>
      expectStatus(await app.put(tag, { body: '"1.1.0"', headers: { 'content-type': 'application/json' } }), 204),
    );
    assert.deepEqual(tagged['dist-tags'], { beta: '1.1.0', latest: '1.0.0', next: '1.1.0' });
    await changes(async () => expectStatus(await app.delete(tag), 204));
    const versions = { '1.0.0': { deprecated: 'too old' } };
    const headers = { 'npm-command': 'deprecate' };
    const old = await changes(async () =>
      expectStatus(await app.put(at('@some/fresh'), { json: { versions }, headers }), 200),
    );
    assert.equal(old.versions['1.0.0']!.deprecated, 'too old');
    const [, second] = await rowsOf('@some/fresh');
    const deletion = { caller: await rootCaller(), projectId: project.id };
    const left = await changes(() => destroyPackages(app.deps, deletion, [second!.id]));
    assert.deepEqual(Object.keys(left.versions), ['1.0.0']);
    assert.deepEqual(left['dist-tags'], { latest: '1.0.0' });
    await changes(() => published('@some/fresh', '1.1.0'));
  });
});

describe('deprecating versions', () => {
  const headers = { 'npm-command': 'deprecate' };
  const deprecate = (versions: unknown, token: string | null = staff.maintainer.token, name = 'old') =>
    app.put(at(name), { token, json: { name, versions }, headers });

  test('marks those that are listed, and takes it back', async () => {
    for (const version of ['1.0.0', '1.1.0']) await published('old', version);
    expectStatus(
      await deprecate({ '1.0.0': { deprecated: 'use 1.1' }, '1.1.0': {}, '9.9.9': { deprecated: 'x' } }),
      200,
    );
    const { versions } = await view('old');
    assert.deepEqual(
      Object.values(versions).map(({ version, deprecated }) => [version, deprecated]),
      [
        ['1.0.0', 'use 1.1'],
        ['1.1.0', undefined],
      ],
    );
    assert.deepEqual(
      (await rowsOf('old')).map(({ status }) => status),
      ['deprecated', 'default'],
    );
    const file = await app.get(`/projects/${project.id}/packages/npm/old/-/old-1.0.0.tgz`);
    assert.equal(file.statusCode, 200);
    const again = { json: { name: 'old', versions: { '1.0.0': { deprecated: '' } } } };
    expectStatus(await app.put(at('old'), { ...again, headers: { 'npm-command': 'undeprecate' } }), 200);
    assert.equal((await view('old')).versions['1.0.0']!.deprecated, undefined);
    assert.equal((await rowsOf('old'))[0]!.status, 'default');
  });

  test('is refused to whoever a protection rule keeps from publishing', async () => {
    await published('guarded', '1.0.0');
    const now = new Date().toISOString();
    const rule = { project_id: project.id, package_name_pattern: 'guarded', package_type: 'npm' } as const;
    await app.deps.db
      .insertInto('package_protection_rules')
      .values({ ...rule, minimum_access_level_for_push: 'owner', created_at: now, updated_at: now })
      .execute();
    const versions = { '1.0.0': { deprecated: 'x' } };
    const { message } = refusal(await deprecate(versions, staff.maintainer.token, 'guarded'), 403);
    assert.equal(message, '403 Forbidden - Package protected.');
    assert.equal((await rowsOf('guarded'))[0]!.status, 'default');
    expectStatus(await deprecate(versions, staff.owner.token, 'guarded'), 200);
    assert.equal((await rowsOf('guarded'))[0]!.status, 'deprecated');
  });

  test('takes the right to delete packages', async () => {
    await published('older', '1.0.0');
    const versions = { '1.0.0': { deprecated: 'x' } };
    for (const [token, status] of [
      [null, 401],
      [staff.stranger.token, 404],
      [staff.reporter.token, 403],
      [staff.developer.token, 403],
      [staff.owner.token, 200],
    ] as const) {
      expectStatus(await deprecate(versions, token, 'older'), status);
    }
    assert.deepEqual(refusal(await deprecate(versions, staff.owner.token, 'none'), 404), {
      message: '404 Package Not Found',
      error: 'Package not found',
    });
    refusedAs(await deprecate('x', staff.owner.token, 'older'), 400, 'Version is empty.');
    refusedAs(
      await deprecate({ '1.0.0': { deprecated: 'x'.repeat(2_000) } }, staff.owner.token, 'older'),
      400,
      'Deprecation message is too long (maximum is 1024 characters).',
    );
  });
});

describe('tags', () => {
  const tags = (name: string, tag = '') =>
    `/projects/${project.id}/packages/npm/-/package/${name.replace('/', '%2f')}/dist-tags${tag === '' ? '' : `/${tag}`}`;
  const set = (name: string, tag: string, body: string, token: string | null = staff.developer.token) =>
    app.put(tags(name, tag), { token, body, headers: { 'content-type': 'application/json' } });
  const list = async (name: string) => expectStatus(await app.get(tags(name), { token: staff.reporter.token }), 200);

  test('are listed, set and removed', async () => {
    await published('@some/tagged', '1.0.0');
    await published('@some/tagged', '2.0.0-rc.1', { tag: 'next' });
    assert.deepEqual(await list('@some/tagged'), { latest: '1.0.0', next: '2.0.0-rc.1' });
    expectStatus(await set('@some/tagged', 'stable', '"1.0.0"'), 204);
    expectStatus(await set('@some/tagged', 'next', '1.0.0'), 204);
    assert.deepEqual(await list('@some/tagged'), { latest: '1.0.0', next: '1.0.0', stable: '1.0.0' });
    expectStatus(await app.delete(tags('@some/tagged', 'stable'), { token: staff.maintainer.token }), 204);
    assert.deepEqual(await list('@some/tagged'), { latest: '1.0.0', next: '1.0.0' });
    const gone = refusal(await app.delete(tags('@some/tagged', 'stable')), 404);
    assert.deepEqual(gone, { message: '404 Package Tag Not Found', error: 'Package Tag not found' });
  });

  test('give the highest release as latest where none is set', async () => {
    for (const version of ['1.9.0', '1.10.0', '2.0.0-alpha.1']) await published('unset', version, { tag: 'next' });
    assert.deepEqual(await list('unset'), { latest: '1.10.0', next: '2.0.0-alpha.1' });
    assert.deepEqual((await view('unset'))['dist-tags'], { latest: '1.10.0', next: '2.0.0-alpha.1' });
  });

  test('are refused to those who may not, and for what is not there', async () => {
    await published('locked', '1.0.0');
    for (const [token, setting, removing] of [
      [null, 401, 401],
      [staff.stranger.token, 404, 404],
      [staff.guest.token, 403, 403],
      [staff.reporter.token, 403, 403],
      [staff.developer.token, 204, 403],
    ] as const) {
      expectStatus(await set('locked', 'some', '"1.0.0"', token), setting);
      expectStatus(await app.delete(tags('locked', 'some'), { token }), removing);
    }
    const missing = { message: '404 Package Not Found', error: 'Package not found' };
    assert.deepEqual(refusal(await set('locked', 'some', '"3.0.0"'), 404), missing);
    assert.deepEqual(refusal(await set('nothing', 'some', '"1.0.0"'), 404), missing);
    assert.deepEqual(refusal(await app.get(tags('nothing')), 404), missing);
    refusedAs(await set('locked', 'some', '""'), 400, 'Version is empty.');
    refusedAs(await set('locked', 'some', ''), 400, 'Version is empty.');
    expectStatus(await set('locked', 'some', '{'), 400);
    expectStatus(await set('locked', '2.x', '"1.0.0"'), 400);
    expectStatus(await set('locked', '1.0.0', '"1.0.0"'), 400);
    expectStatus(await set('locked', 'x'.repeat(256), '"1.0.0"'), 400);
    expectStatus(await set('locked', 'some', 'x'.repeat(5_000)), 413);
  });
});

describe('what else npm asks', () => {
  test('audits find nothing', async () => {
    const post = (last: string, token: string | null = staff.reporter.token) =>
      app.post(`/projects/${project.id}/packages/npm/-/npm/v1/security/${last}`, { token, json: { app: ['1.0.0'] } });
    assert.deepEqual(expectStatus(await post('advisories/bulk'), 200), []);
    const report = expectStatus<{ advisories: object }>(await post('audits/quick'), 200);
    assert.deepEqual(report.advisories, {});
    for (const last of ['advisories/bulk', 'audits/quick']) {
      expectStatus(await post(last, null), 401);
      expectStatus(await post(last, staff.stranger.token), 404);
      expectStatus(await post(last, staff.guest.token), 403);
    }
  });

  test('versions cannot be unpublished this way', async () => {
    await published('here', '1.0.0');
    for (const path of ['here/-rev/1', 'here/-/here-1.0.0.tgz/-rev/1']) {
      const response = await app.delete(`/projects/${project.id}/packages/npm/${path}`);
      assert.equal(response.statusCode, 405, path);
    }
    expectStatus(await app.get(at('here')), 200);
  });
});
