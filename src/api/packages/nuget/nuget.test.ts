import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { deletedByMaintainers } from '../../../../test/support/packages.ts';
import { zipOf } from '../../../../test/support/zip.ts';
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

const nuspec = (id: string, version: string, more = '') =>
  `\uFEFF<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata>
<id>${id}</id><version>${version}</version><authors>Ada, Bob</authors><description>Plans &amp; flights.</description>${more}
</metadata></package>`;
const FULL = `<title>Flight plans</title><summary>Short</summary><tags>flight plan flight</tags>
<projectUrl>https://example.org/p</projectUrl><licenseUrl>https://example.org/l</licenseUrl>
<dependencies><group targetFramework=".NETStandard2.0"><dependency id="Newtonsoft.Json" version="13.0.1" exclude="Build" /></group><group targetFramework="net8.0" /></dependencies>`;
const SYMBOLS = '<packageTypes><packageType name="SymbolsPackage" /></packageTypes>';
const nupkg = (id: string, version: string, more = '') =>
  zipOf({
    [`${id}.nuspec`]: nuspec(id, version, more),
    'lib/net8.0/a.dll': `dll of ${version}`,
    '[Content_Types].xml': '<x/>',
  });

interface Sent {
  token?: string | null;
  headers?: Record<string, string>;
  path?: string;
  to?: Project;
  field?: string;
}
const url = (path: string, of = project) => `/projects/${of.id}/packages/nuget${path}`;
const push = (
  bytes: Buffer,
  { token = staff.developer.token, headers = {}, path = '', to, field = 'package' }: Sent = {},
) => {
  const form = multipart({}, { field, name: 'package.nupkg', bytes });
  return app.put(url(path, to), { token, body: form.body, headers: { ...form.headers, ...headers } });
};
const get = (path: string, token: string | null = staff.reporter.token, headers = {}) =>
  app.get(url(path), { token, headers });
type Json = Record<string, unknown>;

/** An archive with a file too large to be unpacked at once, whose first block is of no kind that there is. */
async function damagedZip(): Promise<Buffer> {
  const zip = await zipOf({ 'a.nuspec': randomBytes(150_000).toString('hex') });
  zip[30 + zip.readUInt16LE(26) + zip.readUInt16LE(28)] = 0b111;
  return zip;
}

describe('a NuGet package', () => {
  test('is pushed, found, described and downloaded', async () => {
    const bytes = await nupkg('Flight.Plans', '1.2', FULL);
    assert.deepEqual(expectStatus(await push(bytes), 201), { message: '201 Created' });
    const base = `${app.deps.externalUrl()}/api/v4${url('')}`;
    const content = `${base}/download/Flight.Plans/1.2.0/flight.plans.1.2.0.nupkg`;
    const leaf = `${base}/metadata/Flight.Plans/1.2.0.json`;
    const version = expectStatus<Json>(await get('/metadata/flight.plans/1.2.0.json'), 200);
    const group = `${leaf}#dependencyGroup`;
    assert.deepEqual(version, {
      '@id': leaf,
      packageContent: content,
      catalogEntry: {
        '@id': leaf,
        id: 'Flight.Plans',
        version: '1.2',
        authors: 'Ada, Bob',
        description: 'Plans & flights.',
        summary: 'Short',
        tags: 'flight plan',
        projectUrl: 'https://example.org/p',
        licenseUrl: 'https://example.org/l',
        packageContent: content,
        published: (version.catalogEntry as Json).published,
        dependencyGroups: [
          {
            '@id': `${group}/.netstandard2.0`,
            '@type': 'PackageDependencyGroup',
            targetFramework: '.NETStandard2.0',
            dependencies: [
              {
                '@id': `${group}/.netstandard2.0/newtonsoft.json`,
                '@type': 'PackageDependency',
                id: 'Newtonsoft.Json',
                range: '13.0.1',
              },
            ],
          },
          { '@id': `${group}/net8.0`, '@type': 'PackageDependencyGroup', targetFramework: 'net8.0' },
        ],
      },
    });
    for (const path of [
      '1.2.0/flight.plans.1.2.0.nupkg',
      '1.2/Flight.Plans.1.2.nupkg',
      '1.2.0.0/flight.plans.1.2.0.NUPKG',
    ]) {
      const file = await get(`/download/flight.plans/${path}`);
      assert.ok(file.rawPayload.equals(bytes), path);
    }
    const [listed] = expectStatus<Json[]>(await app.get(`/projects/${project.id}/packages?package_type=nuget`), 200);
    assert.equal(listed!.name, 'Flight.Plans');
    assert.deepEqual((listed!.tags as Json[]).map(({ name }) => name).sort(), ['flight', 'plan']);
  });

  test('is pushed as dotnet puts it into a request', async () => {
    const bytes = await nupkg('From.Dotnet', '1.0.0');
    const boundary = '6f0e5a1c-2c5f-4f3a-9b61-2a4b0d1c7e55';
    const head = `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Disposition: form-data; name=package; filename=package.nupkg; filename*=utf-8''package.nupkg\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    const headers = {
      'content-type': `multipart/form-data; boundary="${boundary}"`,
      'x-nuget-apikey': staff.developer.token,
      'x-nuget-client-version': '6.12.1',
      'x-nuget-protocol-version': '4.1.0',
    };
    expectStatus(await app.put(url('/'), { token: null, body, headers }), 201);
    assert.ok((await get('/download/from.dotnet/1.0.0/from.dotnet.1.0.0.nupkg')).rawPayload.equals(bytes));
  });

  test('has all its versions in their order', async () => {
    for (const version of ['2.0.0', '1.10.0', '1.9.0', '2.0.0-rc.2', '2.0.0-RC.10', '2.0.0.1+build']) {
      expectStatus(await push(await nupkg('Order', version)), 201);
    }
    const keys = ['1.9.0', '1.10.0', '2.0.0-rc.2', '2.0.0-rc.10', '2.0.0', '2.0.0.1'];
    assert.deepEqual(expectStatus(await get('/download/order/index.json'), 200), { versions: keys });
    const registration = expectStatus<{ count: number; items: Json[] }>(await get('/metadata/Order/index.json'), 200);
    const [page] = registration.items;
    assert.deepEqual([registration.count, page!.lower, page!.upper, page!.count], [1, '1.9.0', '2.0.0.1', 6]);
    const searchResult = expectStatus<{ totalHits: number; data: Json[] }>(await get('/query?q=rDe'), 200);
    assert.equal(searchResult.totalHits, 1);
    assert.equal(searchResult.data[0]!.version, '2.0.0.1');
    assert.deepEqual(
      (searchResult.data[0]!.versions as Json[]).map(({ version }) => version),
      keys.toReversed(),
    );
    assert.deepEqual(searchResult.data[0]!.title, 'Order');
  });

  test('is searched for by parts of names, in pages, with versions before a release or without', async () => {
    for (const name of ['Find.A', 'Find.B', 'Find.C']) expectStatus(await push(await nupkg(name, '1.0.0-beta')), 201);
    expectStatus(await push(await nupkg('Find.B', '0.9.0')), 201);
    const names = async (query: string) => {
      const { totalHits, data } = expectStatus<{ totalHits: number; data: Json[] }>(await get(`/query?${query}`), 200);
      return [totalHits, data.map(({ id, version }) => `${id} ${version}`)];
    };
    assert.deepEqual(await names('q=find.&take=2'), [3, ['Find.A 1.0.0-beta', 'Find.B 1.0.0-beta']]);
    assert.deepEqual(await names('q=find.&take=2&skip=2'), [3, ['Find.C 1.0.0-beta']]);
    assert.deepEqual(await names('q=find.&prerelease=false&semVerLevel=2.0.0'), [1, ['Find.B 0.9.0']]);
    assert.deepEqual(await names('q=f%25d'), [0, []]);
    for (const wrong of ['take=0', 'skip=-1', 'take=x', 'prerelease=odd'])
      expectStatus(await get(`/query?${wrong}`), 400);
  });

  test('of the same version again is given in its last form, with the symbols beside it', async () => {
    const symbols = await nupkg('Again', '1.0.0', SYMBOLS);
    assert.equal(expectStatus(await push(symbols, { path: '/symbolpackage' }), 404).message, '404 Package Not Found');
    expectStatus(await push(await nupkg('Again', '1.0.0', '<summary>first</summary>')), 201);
    const second = await nupkg('AGAIN', '1.0', '<summary>second</summary>');
    expectStatus(await push(second), 201);
    expectStatus(await push(symbols, { path: '/symbolpackage' }), 201);
    for (const path of ['/v2', '/v2/', '/']) expectStatus(await push(symbols, { path }), 201);
    const { catalogEntry } = expectStatus<{ catalogEntry: Json }>(await get('/metadata/again/1.0.json'), 200);
    assert.equal(catalogEntry.summary, 'second');
    assert.ok((await get('/download/again/1.0.0/again.1.0.0.nupkg')).rawPayload.equals(second));
    assert.ok((await get('/download/again/1.0.0/again.1.0.0.snupkg')).rawPayload.equals(symbols));
    const rows = await app.deps.db.selectFrom('packages').select('id').where('name_key', '=', 'again').execute();
    assert.equal(rows.length, 1);
    assert.match(
      String(expectStatus(await push(second, { path: '/symbolpackage' }), 400).message),
      /not a symbols package/,
    );
  });

  test('is refused when it is none', async () => {
    const bomb = `<description>${'x'.repeat(600_000)}</description>`;
    for (const [bytes, message] of [
      [Buffer.from('no zip'), /not a NuGet package/],
      [await zipOf({ 'a/b.nuspec': 'x' }), /no \.nuspec/],
      [await damagedZip(), /no deflated data/],
      [await zipOf({ 'a.nuspec': nuspec('A', '1.0'), 'b.nuspec': 'x' }), /several/],
      [await zipOf({ 'a.nuspec': '<package><metadata>' }), /cannot be parsed/],
      [await zipOf({ 'a.nuspec': `<!DOCTYPE x [<!ENTITY a "b">]>${nuspec('A', '1.0').slice(40)}` }), /document type/],
      [await zipOf({ 'a.nuspec': '<a>'.repeat(30) }), /nested too deeply/],
      [await nupkg('A', '1.0', bomb), /too large/],
      [
        await nupkg('A', '1.0', `<dependencies>${'<dependency id="x" version="1"/>'.repeat(1_001)}</dependencies>`),
        /more than 1000/,
      ],
      [await nupkg('..', '1.0/../x'), /package_version is invalid/],
      [await nupkg('a b', '1.0'), /package_name is invalid/],
    ] as const) {
      const response = expectStatus(await push(bytes), 400);
      assert.match(String(response.message), message);
    }
    expectStatus(await push(await nupkg('A', '1.0'), { field: 'other' }), 400);
    expectStatus(await app.put(url(''), { token: staff.developer.token, body: 'x' }), 400);
    await app.drain();
    const left = await app.deps.db.selectFrom('packages').select('id').where('name', 'in', ['A', '..']).execute();
    assert.deepEqual(left, []);
  });

  test('is not there by other names', async () => {
    expectStatus(await push(await nupkg('There', '1.0.0')), 201);
    for (const [path, message] of [
      ['/metadata/none/index.json', '404 Packages Not Found'],
      ['/metadata/there/2.0.0.json', '404 Package Not Found'],
      ['/metadata/there/odd.json', '404 Package Not Found'],
      ['/download/none/index.json', '404 Packages Not Found'],
      ['/download/there/1.0.0/there.2.0.0.nupkg', '404 Package Not Found'],
      ['/download/there/1.0.0/other.1.0.0.nupkg', '404 Package Not Found'],
      ['/download/there/1.0.0/there.1.0.0.exe', '404 Package Not Found'],
      ['/download/there/1.0.0/there.1.0.0.snupkg', '404 Package Not Found'],
    ] as const) {
      assert.equal(expectStatus(await get(path), 404).message, message, path);
    }
  });

  test('is deleted by those who may', async () => {
    expectStatus(await push(await nupkg('Gone', '1.0.0')), 201);
    const path = url('/gone/1.0');
    await deletedByMaintainers(staff, 204, (token) => app.delete(path, { token }));
    expectStatus(await get('/metadata/gone/index.json'), 404);
    expectStatus(await push(await nupkg('Gone', '1.0.0')), 201);
  });

  test('is protected by rules', async () => {
    const json = { package_name_pattern: 'Safe*', package_type: 'nuget', minimum_access_level_for_push: 'maintainer' };
    expectStatus(await app.post(`/projects/${project.id}/packages/protection/rules`, { json }), 201);
    const refused = expectStatus(await push(await nupkg('safe.one', '1.0.0')), 403);
    assert.equal(refused.message, '403 Forbidden - Package protected.');
    expectStatus(await push(await nupkg('safe.one', '1.0.0'), { token: staff.maintainer.token }), 201);
  });
});

describe('who', () => {
  test('pushes and reads', async () => {
    const bytes = await nupkg('Who', '1.0.0');
    for (const [who, status] of [
      [staff.guest, 403],
      [staff.planner, 403],
      [staff.reporter, 403],
      [staff.stranger, 404],
      [staff.developer, 201],
      [staff.owner, 201],
    ] as const) {
      expectStatus(await push(bytes, { token: who.token }), status);
    }
    expectStatus(await push(bytes, { token: null }), 401);
    for (const path of ['/metadata/who/index.json', '/metadata/who/1.0.json', '/query', '/download/who/index.json']) {
      for (const [who, status] of [
        [staff.guest, 403],
        [staff.planner, 403],
        [staff.reporter, 200],
        [staff.stranger, 404],
      ] as const) {
        expectStatus(await get(path, who.token), status);
      }
      const anonymous = await get(path, null);
      expectStatus(anonymous, 401);
      assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
    }
  });

  test('says it by a key or by a name and password', async () => {
    const bytes = await nupkg('Tokens', '1.0.0');
    const basic = (name: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    });
    const deploy = expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, {
        json: { name: 'deploy', scopes: ['write_package_registry'] },
      }),
      201,
    );
    const held = await holdJob(app, project, { columns: { user_id: 1 } });
    for (const headers of [
      { 'x-nuget-apikey': staff.developer.token },
      { 'x-nuget-apikey': deploy.token },
      { 'x-nuget-apikey': held.token },
      basic('any', staff.developer.token),
      basic(deploy.username, deploy.token),
      basic('gitlab-ci-token', held.token),
      { ...basic('any', staff.developer.token), 'x-nuget-apikey': 'az' },
    ]) {
      expectStatus(await push(bytes, { token: null, headers }), 201);
      expectStatus(await get('/metadata/tokens/index.json', null, headers), 200);
    }
    expectStatus(await push(bytes, { token: null, headers: { 'x-nuget-apikey': 'wrong' } }), 401);
    expectStatus(
      await app.delete(url('/tokens/1.0.0'), { token: null, headers: { 'x-nuget-apikey': deploy.token } }),
      204,
    );
  });

  test('asks for the services need not say it', async () => {
    const base = (path: string) => `${app.deps.externalUrl()}/api/v4${path}`;
    for (const name of ['index', 'index.json']) {
      const index = expectStatus<{ version: string; resources: Json[] }>(await get(`/${name}`, null), 200);
      assert.equal(index.version, '3.0.0');
      const address = (type: string) => index.resources.find((each) => each['@type'] === type)?.['@id'];
      assert.equal(address('PackageBaseAddress/3.0.0'), base(url('/download')));
      assert.equal(address('PackagePublish/2.0.0'), base(url('')));
      assert.equal(address('SymbolPackagePublish/4.9.0'), base(url('/symbolpackage')));
      assert.equal(address('RegistrationsBaseUrl/3.0.0-rc'), base(url('/metadata')));
      const ofGroup = expectStatus<{ resources: Json[] }>(
        await app.get(`/groups/${group.id}/-/packages/nuget/${name}`, { token: null }),
        200,
      );
      assert.deepEqual(
        [...new Set(ofGroup.resources.map((each) => each['@id']))],
        ['query', 'metadata'].map((each) => base(`/groups/${group.id}/-/packages/nuget/${each}`)),
      );
    }
    expectStatus(await app.get('/projects/999999/packages/nuget/index.json', { token: null }), 200);
    expectStatus(await app.get('/projects/a%2Fb/packages/nuget/index.json', { token: null }), 400);
  });
});

describe('in a group', () => {
  const inGroup = (path: string, token: string | null = ROOT_TOKEN) =>
    app.get(`/groups/${group.id}/-/packages/nuget${path}`, { token });

  test('callers find packages of the projects that they may read', async () => {
    const second = await app.make.project({ namespace: await app.make.group({ parent: group }) });
    const foreign = await app.make.project({ namespace: await app.make.group() });
    for (const [to, version] of [
      [project, '1.0.0'],
      [second, '2.0.0'],
      [foreign, '3.0.0'],
    ] as const) {
      expectStatus(await push(await nupkg('Shared', version), { to, token: ROOT_TOKEN }), 201);
    }
    const versions = async (token: string) => {
      const { items } = expectStatus<{ items: { items: { packageContent: string; catalogEntry: Json }[] }[] }>(
        await inGroup('/metadata/shared/index.json', token),
        200,
      );
      return items[0]!.items.map(({ catalogEntry, packageContent }) => [
        catalogEntry.version,
        packageContent.split('/')[6],
      ]);
    };
    assert.deepEqual(await versions(ROOT_TOKEN), [
      ['1.0.0', String(project.id)],
      ['2.0.0', String(second.id)],
    ]);
    assert.deepEqual(await versions(staff.reporter.token), [['1.0.0', String(project.id)]]);
    expectStatus(await inGroup('/metadata/shared/2.0.0.json', staff.reporter.token), 404);
    expectStatus(await inGroup('/metadata/shared/1.0.0.json', staff.reporter.token), 200);
    const { data } = expectStatus<{ data: Json[] }>(await inGroup('/query?q=shared', staff.reporter.token), 200);
    assert.deepEqual(
      data.map(({ version }) => version),
      ['1.0.0'],
    );
    const ofGuest = expectStatus<{ data: Json[] }>(await inGroup('/query?q=shared', staff.guest.token), 200);
    assert.deepEqual(ofGuest.data, []);
    expectStatus(await inGroup('/query', staff.stranger.token), 404);
    expectStatus(await inGroup('/query', null), 401);
  });
});
