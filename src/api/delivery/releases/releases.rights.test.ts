import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { Visibility } from '../../../core/access-levels.ts';
import type { ReleaseJson } from './releases.responses.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

type Status = Record<'nobody' | 'stranger' | 'guest' | 'planner' | 'reporter' | 'developer' | 'maintainer', number>;

/** A project with one release that has a link, and its members. */
async function released(t: TestContext, visibility: Visibility) {
  const made = await seededProject(app, t, { visibility });
  const people = await app.make.members(made.project);
  const path = `/projects/${made.project.id}/releases`;
  const links = [{ name: 'a', url: 'https://example.org/a', filepath: '/bin/a' }];
  const json = { tag_name: 'v1', ref: 'main', assets: { links } };
  const release = expectStatus<ReleaseJson>(await app.post(path, { json }), 201);
  const tokens = {
    nobody: null,
    ...Object.fromEntries(Object.entries(people).map(([name, { token }]) => [name, token])),
  };
  return {
    ...made,
    path,
    people,
    release,
    link: release.assets.links[0]!.id,
    tokens: tokens as Record<string, string | null>,
  };
}

async function expectAll(
  tokens: Record<string, string | null>,
  statuses: Status,
  ask: (token: string | null, name: string) => Promise<{ statusCode: number; body: string }>,
  what: string,
): Promise<void> {
  for (const [name, status] of Object.entries(statuses)) {
    const { statusCode, body } = await ask(tokens[name]!, name);
    assert.equal(statusCode, status, `${what} as ${name}: ${body}`);
    if (status >= 400) assert.ok((JSON.parse(body) as { message: string }).message.length > 0);
  }
}

const same = (nobody: number, stranger: number, guest: number, reporter: number, developer: number): Status => ({
  nobody,
  stranger,
  guest,
  planner: guest,
  reporter,
  developer,
  maintainer: developer,
});

for (const visibility of ['private', 'internal', 'public'] as const) {
  test(`who reads releases of a ${visibility} project`, async (t) => {
    const { path, link, tokens } = await released(t, visibility);
    const nobody = visibility === 'public' ? 200 : 404;
    const stranger = visibility === 'private' ? 404 : 200;
    const guest = visibility === 'private' ? 403 : 200;
    const get = (address: string) => (token: string | null) => app.get(address, { token });
    const lists = same(nobody, stranger, 200, 200, 200);
    const whole = same(nobody, stranger, guest, 200, 200);
    await expectAll(tokens, lists, get(path), 'list');
    await expectAll(tokens, whole, get(`${path}/v1`), 'get');
    await expectAll(tokens, lists, get(`${path}/v1/assets/links`), 'links');
    await expectAll(tokens, lists, get(`${path}/v1/assets/links/${link}`), 'link');
    const away = Object.fromEntries(
      Object.entries(whole).map(([name, status]) => [name, status === 200 ? 302 : status]),
    ) as Status;
    await expectAll(tokens, away, get(`${path}/permalink/latest`), 'latest');
    await expectAll(tokens, away, get(`${path}/permalink/latest/downloads/bin/a`), 'latest download');
    await expectAll(tokens, away, get(`${path}/v1/downloads/bin/a`), 'download');
  });

  test(`who writes releases of a ${visibility} project`, async (t) => {
    const { path, link, tokens, git, head } = await released(t, visibility);
    const statuses = (status: number) => same(401, visibility === 'private' ? 404 : 403, 403, 403, status);
    await expectAll(
      tokens,
      statuses(201),
      (token, name) => app.post(path, { token, json: { tag_name: `of-${name}`, ref: 'main' } }),
      'create',
    );
    await expectAll(tokens, statuses(200), (token) => app.put(`${path}/v1`, { token, json: { name: 'x' } }), 'update');
    await expectAll(tokens, statuses(200), (token) => app.post(`${path}/v1/evidence`, { token }), 'evidence');
    const links = `${path}/v1/assets/links`;
    await expectAll(
      tokens,
      statuses(201),
      (token, name) => app.post(links, { token, json: { name, url: `https://example.org/${name}` } }),
      'add a link',
    );
    await expectAll(
      tokens,
      statuses(200),
      (token) => app.put(`${links}/${link}`, { token, json: { name: 'y' } }),
      'change a link',
    );
    assert.equal((await app.delete(`${links}/${link}`, { token: tokens.reporter! })).statusCode, 403);
    expectStatus(await app.delete(`${links}/${link}`, { token: tokens.developer! }), 200);
    git.git(['tag', 'of-reporter', head]);
    await expectAll(
      tokens,
      { ...statuses(200) },
      (token, name) => app.delete(`${path}/${name === 'maintainer' ? 'of-developer' : 'of-maintainer'}`, { token }),
      'delete',
    );
  });
}

describe('guests of a private project', () => {
  test('see nothing that tells of the code', async (t) => {
    const { path, tokens, release } = await released(t, 'private');
    await app.drain();
    const [shown] = expectStatus<ReleaseJson[]>(await app.get(path, { token: tokens.guest! }), 200);
    assert.deepEqual(Object.keys(shown!).sort(), [
      '_links',
      'assets',
      'author',
      'created_at',
      'description',
      'name',
      'released_at',
      'tag_name',
      'upcoming_release',
    ]);
    assert.deepEqual(shown?.assets, { count: 1, links: release.assets.links });
    assert.equal(shown?._links.edit_url, undefined);
    const [whole] = expectStatus<ReleaseJson[]>(await app.get(path, { token: tokens.reporter! }), 200);
    assert.equal(whole?.evidences?.length, 1);
    assert.equal(whole?._links.edit_url, undefined);
    assert.ok(whole?.commit);
  });
});

test('releases that are switched off are refused to everybody; for members only they are for members', async (t) => {
  const { project, path, tokens } = await released(t, 'public');
  const set = async (releases_access_level: string) =>
    expectStatus(await app.put(`/projects/${project.id}`, { json: { releases_access_level } }), 200);
  await set('private');
  await expectAll(tokens, same(404, 403, 200, 200, 200), (token) => app.get(path, { token }), 'list');
  await set('disabled');
  await expectAll(tokens, same(404, 403, 403, 403, 403), (token) => app.get(path, { token }), 'list');
  const json = { tag_name: 'x', ref: 'main' };
  assert.equal((await app.post(path, { token: tokens.developer!, json })).statusCode, 403);
});

test('an archived project keeps its releases as they are', async (t) => {
  const { project, path, tokens } = await released(t, 'private');
  expectStatus(await app.post(`/projects/${project.id}/archive`), 201);
  expectStatus(await app.get(`${path}/v1`, { token: tokens.reporter! }), 200);
  for (const token of [tokens.developer!, tokens.owner!]) {
    assert.equal((await app.post(path, { token, json: { tag_name: 'x', ref: 'main' } })).statusCode, 403);
    assert.equal((await app.put(`${path}/v1`, { token, json: { name: 'x' } })).statusCode, 403);
    assert.equal((await app.delete(`${path}/v1`, { token })).statusCode, 403);
  }
});

test('releases of a protected tag are for those who may make it', async (t) => {
  const { project, path, link, tokens } = await released(t, 'private');
  expectStatus(await app.post(`/projects/${project.id}/protected_tags`, { json: { name: 'v*' } }), 201);
  const token = tokens.developer!;
  const refused = expectStatus<{ message: string }>(
    await app.post(path, { token, json: { tag_name: 'v2', ref: 'main' } }),
    403,
  );
  assert.equal(refused.message, 'You are not allowed to create this tag as it is protected.');
  expectStatus(await app.put(`${path}/v1`, { token, json: { name: 'x' } }), 403);
  expectStatus(await app.post(`${path}/v1/evidence`, { token }), 403);
  expectStatus(await app.post(`${path}/v1/assets/links`, { token, json: { name: 'b', url: 'http://b' } }), 403);
  expectStatus(await app.put(`${path}/v1/assets/links/${link}`, { token, json: { name: 'b' } }), 403);
  expectStatus(await app.delete(`${path}/v1/assets/links/${link}`, { token }), 403);
  expectStatus(await app.delete(`${path}/v1`, { token }), 403);
  const { maintainer } = tokens;
  expectStatus(await app.post(path, { token: maintainer!, json: { tag_name: 'v2', ref: 'main' } }), 201);
  expectStatus(await app.put(`${path}/v1`, { token: maintainer!, json: { name: 'x' } }), 200);
  expectStatus(await app.delete(`${path}/v1`, { token: maintainer! }), 200);
});

test('a token that only reads reads, a deploy token is no way in', async (t) => {
  const { project, path, people } = await released(t, 'private');
  const reading = await app.make.token(people.developer.user.id, ['read_api']);
  expectStatus(await app.get(`${path}/v1`, { token: reading }), 200);
  expectStatus(await app.post(path, { token: reading, json: { tag_name: 'x', ref: 'main' } }), 403);
  const made = expectStatus<{ token: string }>(
    await app.post(`/projects/${project.id}/deploy_tokens`, { json: { name: 'd', scopes: ['read_repository'] } }),
    201,
  );
  const headers = { 'deploy-token': made.token };
  expectStatus(await app.get(path, { token: null, headers }), 404);
  expectStatus(await app.post(path, { token: null, headers, json: { tag_name: 'x', ref: 'main' } }), 401);
});

test('evidence asks for a paid plan', async (t) => {
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  t.after(() => free.close());
  const made = await seededProject(free, t);
  const path = `/projects/${made.project.id}/releases`;
  expectStatus(await free.post(path, { json: { tag_name: 'v1', ref: 'main' } }), 201);
  expectStatus(await free.post(`${path}/v1/evidence`), 403);
});
