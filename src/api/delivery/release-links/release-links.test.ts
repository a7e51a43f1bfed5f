import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { ReleaseJson } from '../releases/releases.responses.ts';
import type { ReleaseLinkJson } from './release-links.responses.ts';
import { MAX_LINKS } from './release-links.rules.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Wrong {
  message: string;
  errors?: Record<string, string[]>;
}

async function releasePath(t: TestContext): Promise<string> {
  const { project } = await seededProject(app, t);
  const path = `/projects/${project.id}/releases`;
  expectStatus(await app.post(path, { json: { tag_name: 'v1', ref: 'main' } }), 201);
  return `${path}/v1`;
}

const add = async (path: string, json: object) =>
  expectStatus<ReleaseLinkJson>(await app.post(`${path}/assets/links`, { json }), 201);

test('links are added, listed newest first, read, changed and removed', async (t) => {
  const path = await releasePath(t);
  const first = await add(path, { name: 'a', url: 'https://example.org/a' });
  assert.deepEqual(
    { ...first, id: 0 },
    {
      id: 0,
      name: 'a',
      url: 'https://example.org/a',
      direct_asset_url: 'https://example.org/a',
      link_type: 'other',
    },
  );
  const second = await add(path, { name: 'b', url: 'http://b', direct_asset_path: '/b/c.tgz', link_type: 'runbook' });
  assert.match(second.direct_asset_url, /\/-\/releases\/v1\/downloads\/b\/c\.tgz$/);
  assert.deepEqual(expectStatus(await app.get(`${path}/assets/links`), 200), [second, first]);
  const one = `${path}/assets/links/${first.id}`;
  assert.deepEqual(expectStatus(await app.get(one), 200), first);
  const json = { name: 'c', url: 'ftp://c', filepath: '/bin/c', link_type: 'image' };
  const changed = expectStatus<ReleaseLinkJson>(await app.put(one, { json }), 200);
  assert.deepEqual([changed.name, changed.url, changed.link_type], ['c', 'ftp://c', 'image']);
  assert.match(changed.direct_asset_url, /\/downloads\/bin\/c$/);
  const unchanged = expectStatus<ReleaseLinkJson>(await app.put(one, { json: { name: 'd' } }), 200);
  assert.deepEqual([unchanged.url, unchanged.direct_asset_url], [changed.url, changed.direct_asset_url]);
  const bare = expectStatus<ReleaseLinkJson>(await app.put(one, { json: { name: 'd', direct_asset_path: null } }), 200);
  assert.equal(bare.direct_asset_url, 'ftp://c');
  assert.deepEqual(expectStatus(await app.delete(one), 200), bare);
  expectStatus(await app.get(one), 404);
  expectStatus(await app.put(one, { json: { name: 'd' } }), 404);
  expectStatus(await app.delete(one), 404);
  const release = expectStatus<ReleaseJson>(await app.get(path), 200);
  assert.equal(release.assets.count, 5);
  const page = await app.get(`${path}/assets/links`, { query: { per_page: 1 } });
  assert.equal(page.headers['x-total'], '1');
});

test('links are refused in the words of the platform', async (t) => {
  const path = await releasePath(t);
  const links = `${path}/assets/links`;
  const good = { name: 'a', url: 'https://example.org/a', filepath: '/bin/a' };
  const { id } = await add(path, good);
  const other = await add(path, { name: 'z', url: 'https://example.org/z', filepath: '/bin/z' });
  const bad = async (json: object) => expectStatus<Wrong>(await app.post(links, { json }), 400);
  const next = { name: 'b', url: 'https://example.org/b' };
  assert.equal((await bad({ url: 'https://x.org' })).message, 'name is missing');
  assert.equal((await bad({ name: 'x' })).message, 'url is missing');
  assert.deepEqual(await bad({ ...next, name: 'a' }), {
    message: 'Name has already been taken',
    errors: { name: ['has already been taken'] },
  });
  assert.equal((await bad({ ...next, url: good.url })).message, 'Url has already been taken');
  assert.equal((await bad({ ...next, filepath: '/bin/a' })).message, 'Filepath has already been taken');
  assert.equal((await bad({ ...next, name: ' ' })).message, "Name can't be blank");
  assert.match((await bad({ ...next, name: 'x'.repeat(256) })).message, /^Name is too long/);
  assert.match((await bad({ ...next, link_type: 'x' })).message, /link_type does not have a valid value/);
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'example.org',
    '//x.org',
    'ssh://x',
  ]) {
    assert.match(
      (await bad({ ...next, url })).message,
      /^Url is blocked: Only allowed schemes are http, https, ftp/,
      url,
    );
  }
  for (const url of [
    'http://',
    'http:///x',
    'https://a b',
    'https://x.org/\r\nSet-Cookie: a',
    'http:x',
    'http://[::',
  ]) {
    assert.match((await bad({ ...next, url })).message, /^Url must be a valid URL/, url);
  }
  assert.match((await bad({ ...next, url: `https://x.org/${'x'.repeat(3_000)}` })).message, /^Url is too long/);
  for (const filepath of ['bin/a', '//a', '/', '/a//b', '/a b', '/a/', '/ü', `/a?b`, '/../..']) {
    assert.equal((await bad({ ...next, filepath })).message, 'Filepath is in an invalid format', filepath);
  }
  assert.match((await bad({ ...next, filepath: `/${'x'.repeat(128)}` })).message, /^Filepath is too long/);
  const put = async (json: object) => expectStatus<Wrong>(await app.put(`${links}/${id}`, { json }), 400).message;
  assert.equal(await put({ link_type: 'image' }), 'name, url are missing, at least one parameter must be provided');
  assert.equal(await put({ name: 'z' }), 'Name has already been taken');
  assert.equal(await put({ url: other.url, name: 'y' }), 'Url has already been taken');
  assert.equal(await put({ name: 'a', direct_asset_path: '/bin/z' }), 'Filepath has already been taken');
  expectStatus(await app.put(`${links}/${id}`, { json: good }), 200);
  expectStatus(await app.get(`${path.replace(/v1$/, 'v2')}/assets/links`), 404);
  expectStatus(await app.post(`${path.replace(/v1$/, 'v2')}/assets/links`, { json: next }), 404);
});

test('a link of another release or project is not there', async (t) => {
  const [one, two] = [await releasePath(t), await releasePath(t)];
  const { id } = await add(one, { name: 'a', url: 'http://a' });
  for (const ask of [app.get, app.delete]) expectStatus(await ask(`${two}/assets/links/${id}`), 404);
  expectStatus(await app.put(`${two}/assets/links/${id}`, { json: { name: 'b' } }), 404);
  for (const odd of ['x', '99999999999999999999']) {
    assert.ok([400, 404].includes((await app.get(`${one}/assets/links/${odd}`)).statusCode));
  }
});

test('two links of one name at once: one is added', async (t) => {
  const path = await releasePath(t);
  const answers = await Promise.all(
    [1, 2, 3].map((n) => app.post(`${path}/assets/links`, { json: { name: 'a', url: `http://x/${n}` } })),
  );
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400]);
});

test('a release has only so many links', async (t) => {
  const path = await releasePath(t);
  const { id } = await app.deps.db.selectFrom('releases').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow();
  await app.deps.db
    .insertInto('release_links')
    .values(
      Array.from({ length: MAX_LINKS }, (_, n) => ({
        release_id: id,
        name: `link ${n}`,
        url: `http://x/${n}`,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      })),
    )
    .execute();
  const json = { name: 'one more', url: 'http://y' };
  const refused = expectStatus<Wrong>(await app.post(`${path}/assets/links`, { json }), 400);
  assert.match(refused.message, /at most/);
  const links = Array.from({ length: MAX_LINKS + 1 }, (_, n) => ({ name: `link ${n}`, url: `http://x/${n}` }));
  const many = await app.post(path.replace(/\/v1$/, ''), { json: { tag_name: 'v2', ref: 'main', assets: { links } } });
  assert.match(expectStatus<Wrong>(many, 400).message, /^Validation failed: Links are too many/);
});
