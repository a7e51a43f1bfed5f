import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SaxesParser } from 'saxes';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { deletedByMaintainers } from '../../../../test/support/packages.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
  staff = await app.make.members(project);
  for (const version of ['1.10', '1.9.0', '2.0.0-rc.1']) await push('Flight.Plans', version);
});
after(() => app.close());

const MORE =
  '<dependencies><group targetFramework="net8.0"><dependency id="Json" version="13.0.1"/></group><group targetFramework="net9.0"/></dependencies>';

async function push(id: string, version: string, end = '\r\n'): Promise<void> {
  const nuspec = `<package><metadata><id>${id}</id><version>${version}</version><authors>Ada &amp; Bob</authors><description>&lt;Plans&gt;</description><tags>a b</tags>${MORE}</metadata></package>`;
  const bytes = await zipOf({ [`${id}.nuspec`]: nuspec });
  const { body, headers } = multipart({}, { field: 'package', name: 'package.nupkg', bytes });
  const path = `/projects/${project.id}/packages/nuget/v2`;
  const last = body.lastIndexOf('\r\n--');
  const sent = Buffer.concat([body.subarray(0, last), Buffer.from(end), body.subarray(last + 2)]);
  expectStatus(await app.put(path, { token: staff.developer.token, body: sent, headers }), 201);
}

const url = (path: string) => `/projects/${project.id}/packages/nuget/v2${path}`;
const get = (path: string, token: string | null = staff.reporter.token) => app.get(url(path), { token });
const query = (params: Record<string, string>) => `?${new URLSearchParams(params)}`;

/** All texts and attributes of a document, which must be well-formed. */
function read(text: string): { root: string; texts: [string, string][]; links: string[] } {
  const contents = { root: '', texts: [] as [string, string][], links: [] as string[] };
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length === 0) contents.root = name;
    open.push(name);
    for (const key of ['src', 'href']) if (attributes[key] !== undefined) contents.links.push(String(attributes[key]));
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', (part) => contents.texts.push([open.at(-1) ?? '', part]));
  parser.write(text).close();
  return contents;
}

async function versions(path: string): Promise<string[]> {
  const response = await get(path);
  assert.equal(response.statusCode, 200, response.body);
  assert.match(String(response.headers['content-type']), /^application\/atom\+xml/);
  return read(response.body)
    .texts.filter(([name]) => name === 'd:Version')
    .map(([, text]) => text);
}
const ID = "tolower(Id) eq 'flight.plans'";

describe('the NuGet feed of version 2', () => {
  test('says what it has', async () => {
    const groupPath = '/groups/1/-/packages/nuget/v2';
    for (const path of [url(''), groupPath]) {
      const service = await app.get(path, { token: null });
      assert.equal(service.statusCode, 200, service.body);
      assert.match(String(service.headers['content-type']), /^application\/xml/);
      assert.deepEqual(read(service.body).links, ['Packages']);
      const metadata = await app.get(`${path}/$metadata`, { token: null });
      assert.equal(metadata.statusCode, 200, metadata.body);
      assert.equal(read(metadata.body).root, 'edmx:Edmx');
      assert.match(metadata.body, /V2FeedPackage/);
    }
    expectStatus(await app.get('/projects/a%2Fb/packages/nuget/v2', { token: null }), 400);
  });

  test('has the versions of a package in their order', async () => {
    const all = ['1.9.0', '1.10', '2.0.0-rc.1'];
    assert.deepEqual(
      await versions(`/FindPackagesById()${query({ id: "'flight.PLANS'", semVerLevel: '2.0.0' })}`),
      all,
    );
    for (const [$filter, expected] of [
      [`(${ID})`, all],
      ["Id eq 'Flight.Plans'", all],
      [`((${ID}) and IsLatestVersion)`, ['1.10']],
      [`${ID} and IsLatestVersion eq true`, ['1.10']],
      [`${ID} and IsAbsoluteLatestVersion`, ['2.0.0-rc.1']],
      [`${ID} and NormalizedVersion eq '1.10.0'`, ['1.10']],
      [`${ID} and Version eq 'x'`, []],
      ["Id eq 'O''Hara'", []],
    ] as const) {
      assert.deepEqual(await versions(`/Packages()${query({ $filter })}`), expected, $filter);
    }
    assert.deepEqual(await versions(`/FindPackagesById()${query({ id: "'none'" })}`), []);
  });

  test('is searched by a part of the name', async () => {
    await push('Train.Plans', '0.9.0-beta');
    for (const [params, expected] of [
      [{}, ['1.10', '1.9.0']],
      [{ includePrerelease: 'true' }, ['1.10', '1.9.0', '2.0.0-rc.1', '0.9.0-beta']],
      [{ searchTerm: "'T.plan'", $filter: 'IsLatestVersion' }, ['1.10']],
      [{ searchTerm: "''", $filter: 'IsLatestVersion', includePrerelease: 'true' }, ['2.0.0-rc.1', '0.9.0-beta']],
      [{ searchTerm: "'plans'", $filter: 'IsAbsoluteLatestVersion' }, ['2.0.0-rc.1', '0.9.0-beta']],
      [{ searchTerm: "'TRAIN'" }, []],
      [{ searchTerm: "'plan''s'", includePrerelease: 'true' }, []],
      [{ searchTerm: "'%'", includePrerelease: 'true' }, []],
    ] as const) {
      const searched = await versions(`/Search()${query(params)}`);
      assert.deepEqual(searched.sort(), [...expected].sort(), JSON.stringify(params));
    }
    const paged: string[] = [];
    for (let $skip = 0; $skip < 5; $skip += 1) {
      const params = { includePrerelease: 'true', $skip: String($skip), $top: '1' };
      const { body } = await get(`/Search()${query(params)}`);
      const { texts, links } = read(body);
      assert.equal(texts.find(([name]) => name === 'm:count')?.[1], '4');
      assert.equal(links.length, $skip < 4 ? 1 : 0);
      const byName = Object.fromEntries(texts);
      if ($skip < 4)
        paged.push(
          `${byName['d:Id']} ${byName['d:Version']} ${byName['d:IsLatestVersion']} ${byName['d:IsAbsoluteLatestVersion']}`,
        );
    }
    assert.deepEqual(paged, [
      'Flight.Plans 1.10 true false',
      'Flight.Plans 1.9.0 false false',
      'Flight.Plans 2.0.0-rc.1 false true',
      'Train.Plans 0.9.0-beta false true',
    ]);
  });

  test('has pages', async () => {
    const path = `/Packages()${query({ $filter: ID, $skip: '1', $top: '1' })}`;
    assert.deepEqual(await versions(path), ['1.10']);
    const { texts, links } = read((await get(path)).body);
    assert.equal(texts.find(([name]) => name === 'm:count')?.[1], '3');
    assert.equal(links.length, 1);
    for (let count = 0; count < 100; count += 1) await push('Many', `1.0.${count}`);
    await push('Many', '1.0.100');
    const first = read((await get(`/FindPackagesById()${query({ id: "'Many'" })}`)).body).links.at(-1)!;
    const below = first.slice(`${app.deps.externalUrl()}/api/v4`.length);
    const next = await app.get(below, { token: staff.reporter.token });
    assert.deepEqual(
      read(next.body).texts.filter(([name]) => name === 'd:Version'),
      [['d:Version', '1.0.100']],
    );
  });

  test('has one version, which is downloaded from where it says', async () => {
    for (const entry of [
      "Packages(Id='Flight.Plans',Version='1.10')",
      "Packages(Id='flight.plans', Version='1.10.0')",
    ]) {
      const response = await get(`/${encodeURI(entry)}`);
      assert.equal(response.statusCode, 200, response.body);
      const { root, texts, links } = read(response.body);
      assert.equal(root, 'entry');
      const properties = Object.fromEntries(texts);
      assert.equal(properties['d:Id'], 'Flight.Plans');
      assert.equal(properties['d:Authors'], 'Ada & Bob');
      assert.equal(properties['d:Description'], '<Plans>');
      assert.equal(properties['d:NormalizedVersion'], '1.10.0');
      assert.equal(properties['d:IsLatestVersion'], 'true');
      assert.equal(properties['d:IsPrerelease'], 'false');
      assert.match(properties['d:Dependencies'] ?? '', /^Json:.*13\.0\.1.*:net8\.0\|::net9\.0$/);
      const [src] = links;
      assert.ok(src!.startsWith(`${app.deps.externalUrl()}/api/v4/projects/`));
      const file = await app.get(src!.slice(`${app.deps.externalUrl()}/api/v4`.length), {
        token: staff.reporter.token,
      });
      assert.equal(file.statusCode, 200);
    }
  });

  test('loses a version that is deleted', async () => {
    await push('Passing', '1.0.0');
    await deletedByMaintainers(staff, 204, (token) => app.delete(url('/passing/1.0'), { token }));
    assert.deepEqual(await versions(`/FindPackagesById()${query({ id: "'Passing'" })}`), []);
  });

  test('takes a package as nuget on Linux ends its body', async () => {
    await push('From.Linux', '1.0.0', '\n');
    assert.deepEqual(await versions(`/FindPackagesById()${query({ id: "'From.Linux'" })}`), ['1.0.0']);
  });

  test('is refused for what is no question', async () => {
    for (const [path, status] of [
      ['/FindPackagesById()', 400],
      [`/FindPackagesById()${query({ id: 'bare' })}`, 400],
      ['/Packages()', 400],
      [`/Packages()${query({ $filter: 'IsLatestVersion' })}`, 400],
      [`/Packages()${query({ $filter: ID, $top: '-1' })}`, 400],
      ["/Packages(Id='Flight.Plans',Version='9.0.0')", 404],
      ["/Packages(Id='Flight.Plans',Version='x')", 404],
      ["/Packages(Id='none',Version='1.0.0')", 404],
      ['/Search()?searchTerm=bare', 400],
      ['/Search()?includePrerelease=perhaps', 400],
      ['/Packages(1)', 404],
      ['/other', 404],
    ] as const) {
      const { message } = expectStatus(await get(path), status);
      assert.ok(typeof message === 'string' && message.length > 0, path);
    }
  });

  test('is read by those who may', async () => {
    for (const [token, status] of [
      [null, 401],
      [staff.stranger.token, 404],
      [staff.guest.token, 403],
      [staff.planner.token, 403],
      [staff.reporter.token, 200],
    ] as const) {
      for (const path of [
        '/Search()',
        `/FindPackagesById()${query({ id: "'flight.plans'" })}`,
        `/Packages()${query({ $filter: ID })}`,
        "/Packages(Id='Flight.Plans',Version='1.10')",
      ]) {
        const response = await get(path, token);
        assert.equal(response.statusCode, status, response.body);
        if (status === 401) assert.match(String(response.headers['www-authenticate']), /^Basic realm=/);
      }
    }
  });
});
