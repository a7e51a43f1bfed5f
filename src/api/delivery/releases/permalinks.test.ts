import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { type SeededProject, seededProject } from '../../../../test/support/seeded-project.ts';
import type { ReleaseJson } from './releases.responses.ts';

let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
});
after(() => app.close());

async function released(t: TestContext): Promise<SeededProject & { api: string; web: string; release: ReleaseJson }> {
  const made = await seededProject(app, t);
  const api = `/projects/${made.project.id}/releases`;
  const json = { tag_name: 'old', ref: 'main', released_at: '2020-01-01' };
  expectStatus(await app.post(api, { json }), 201);
  const links = [
    { name: 'here', url: `${url}/api/v4/version`, direct_asset_path: '/here' },
    { name: 'there', url: 'https://example.org/a?b=1&c="2"', direct_asset_path: '/bin/there.zip' },
  ];
  const newest = { tag_name: 'v1/0', ref: 'main', assets: { links } };
  const release = expectStatus<ReleaseJson>(await app.post(api, { json: newest }), 201);
  return { ...made, api, web: `${url}/${made.project.full_path}/-/releases`, release };
}

async function get(address: string, token: string | null = ROOT_TOKEN) {
  const headers: Record<string, string> = token === null ? {} : { 'private-token': token };
  const response = await fetch(address, { redirect: 'manual', headers });
  const { status } = response;
  return { status, headers: response.headers, location: response.headers.get('location'), text: await response.text() };
}

test('the API leads to the latest release, with what follows and the query', async (t) => {
  const { api } = await released(t);
  const latest = `${url}/api/v4${api}/permalink/latest`;
  const there = `${url}/api/v4${api}/v1%2F0`;
  const cases: [string, string][] = [
    ['', there],
    ['?order_by=released_at', there],
    ['?order_by=released_at&include_html_description=true', `${there}?include_html_description=true`],
    ['/assets/links', `${there}/assets/links`],
    ['/downloads/bin/there.zip', `${there}/downloads/bin/there.zip`],
  ];
  for (const [suffix, target] of cases) {
    const { status, location } = await get(latest + suffix);
    assert.deepEqual([status, location], [302, target], suffix);
  }
  assert.equal((await get(`${latest}?order_by=name`)).status, 400);
  const followed = await fetch(latest, { headers: { 'private-token': ROOT_TOKEN } });
  assert.equal(((await followed.json()) as ReleaseJson).tag_name, 'v1/0');
});

test('without any release there is no latest one', async (t) => {
  const { project } = await seededProject(app, t);
  assert.equal((await get(`${url}/api/v4/projects/${project.id}/releases/permalink/latest`)).status, 404);
  assert.equal((await get(`${url}/${project.full_path}/-/releases/permalink/latest`)).status, 404);
});

test('the API leads to assets by their path', async (t) => {
  const { api } = await released(t);
  const downloads = `${url}/api/v4${api}/v1%2F0/downloads`;
  const away = await get(`${downloads}/bin/there.zip`);
  assert.deepEqual([away.status, away.location], [302, 'https://example.org/a?b=1&c="2"']);
  for (const path of ['none', 'bin', '', '..%2fbin%2fthere.zip']) {
    assert.equal((await get(`${downloads}/${path}`)).status, 404, path);
  }
  assert.equal((await get(`${url}/api/v4${api}/none/downloads/here`)).status, 404);
});

test('web addresses lead to assets of this server, and ask before they lead elsewhere', async (t) => {
  const { web, project, release } = await released(t);
  const here = await get(`${web}/v1%2F0/downloads/here`);
  assert.deepEqual([here.status, here.location], [302, `${url}/api/v4/version`]);
  const [link] = release.assets.links.filter(({ name }) => name === 'there');
  const there = await get(link!.direct_asset_url);
  assert.equal(there.status, 200);
  assert.match(there.headers.get('content-type') ?? '', /^text\/html/);
  assert.ok(there.text.includes('href="https://example.org/a?b=1&amp;c=&quot;2&quot;"'), there.text);
  assert.equal(there.location, null);
  const latest = await get(`${web}/permalink/latest`);
  assert.deepEqual([latest.status, latest.location], [302, `${web}/v1%2F0`]);
  const direct = await get(`${web}/permalink/latest/downloads/here`);
  assert.deepEqual([direct.status, direct.location], [302, `${web}/v1%2F0/downloads/here`]);
  const page = await get(`${web}/v1%2F0`);
  assert.equal(page.location, `${url}/api/v4/projects/${encodeURIComponent(project.full_path)}/releases/v1%2F0`);
  assert.equal((await get(page.location!)).status, 200);
  assert.equal((await get(`${web}/v1%2F0/edit`)).location, page.location);
  assert.equal((await get(web)).location, `${url}/api/v4/projects/${encodeURIComponent(project.full_path)}/releases`);
  for (const path of ['v1%2F0/downloads/none', 'none/downloads/here', 'v1%2F0/evidences/99999.json']) {
    assert.equal((await get(`${web}/${path}`)).status, 404, path);
  }
  const asked = await get(`${web}/v1%2F0/downloads/here?private_token=${ROOT_TOKEN}`, null);
  assert.equal(asked.status, 302);
  for (const path of ['permalink/latest', 'v1%2F0/downloads/here', 'permalink/latest/downloads/here']) {
    assert.equal((await get(`${web}/${path}`, null)).status, 404, path);
  }
});

test('the archives that a release names are there, and unpack into the folder of their name', async (t) => {
  const { release, project } = await released(t);
  for (const { format, url: source } of release.assets.sources!) {
    const response = await get(source);
    assert.equal(response.status, 200, source);
    assert.ok(
      response.headers.get('content-disposition')?.includes(`${project.path}-v1-0.${format}`),
      response.headers.get('content-disposition') ?? 'none',
    );
  }
  assert.equal((await get(release.assets.sources![0]!.url, null)).status, 404);
});

test('an address in any script is led to as a header can hold it', async (t) => {
  const { api, web } = await released(t);
  const json = { name: 'elsewhere', url: 'https://exämple.org/✓ü'.normalize(), direct_asset_path: '/any/script' };
  expectStatus(await app.post(`${api}/v1%2F0/assets/links`, { json }), 201);
  const away = await get(`${url}/api/v4${api}/v1%2F0/downloads/any/script`);
  assert.deepEqual([away.status, away.location], [302, 'https://xn--exmple-cua.org/%E2%9C%93%C3%BC']);
  assert.equal((await get(`${web}/v1%2F0/downloads/any/script`)).status, 200);
});

test('a feed tells of releases to those who may read them', async (t) => {
  const { web, api, release } = await released(t);
  const json = { name: 'A < B & "C"', description: 'Notes <b>\u0001' };
  expectStatus(await app.put(`${api}/v1%2F0`, { json }), 200);
  const feed = await get(`${web}.atom`);
  assert.equal(feed.status, 200);
  assert.match(feed.headers.get('content-type') ?? '', /^application\/atom\+xml/);
  assert.equal(feed.text.match(/<entry>/g)?.length, 2);
  assert.ok(feed.text.indexOf('<title>A &lt; B &amp; &quot;C&quot;</title>') < feed.text.indexOf('<title>old</title>'));
  assert.ok(feed.text.includes(`<link href="${release._links.self}"/>`));
  assert.ok(feed.text.includes('Notes &amp;lt;b&amp;gt;&lt;/p&gt;'), feed.text);
  assert.doesNotMatch(feed.text, /\u0001/);
  assert.equal((await get(`${web}.atom`, null)).status, 404);
});

test('a tag that is pushed away leaves its release, and one that is pushed anew has it again', async () => {
  const user = await GitUser.of(app);
  const project = await app.make.project();
  const dir = await user.tree();
  await user.commit(dir, 'a.txt', 'a');
  await user.ok(dir, 'tag', 'v1');
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main', 'v1');
  const path = `/projects/${project.id}/releases`;
  expectStatus(await app.post(path, { json: { tag_name: 'v1', description: 'Notes' } }), 201);
  await user.ok(dir, 'push', '--quiet', user.address(project), ':refs/tags/v1');
  assert.equal(expectStatus<ReleaseJson>(await app.get(`${path}/v1`), 200).description, 'Notes');
  await user.ok(dir, 'push', '--quiet', user.address(project), 'v1');
  const tag = await app.get(`/projects/${project.id}/repository/tags/v1`);
  assert.equal(expectStatus<{ release: { description: string } }>(tag, 200).release.description, 'Notes');
});
