import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  buildTestApp,
  expectStatus,
  type RequestOptions,
  type TestApp,
  TestClock,
} from '../../../../test/support/app.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { TagJson } from './tags.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;

test('POST /tags makes a lightweight tag', async (t) => {
  const { path, git, head, project } = await seededProject(app, t);
  const { developer } = await app.make.members(project);
  const json = { tag_name: 'v1.0', ref: 'main' };
  const tag = expectStatus<TagJson>(await app.post(`${path}/tags`, { token: developer.token, json }), 201);
  assert.deepEqual(
    { ...tag, commit: tag.commit?.id },
    {
      name: 'v1.0',
      message: null,
      target: head,
      commit: head,
      release: null,
      protected: false,
      created_at: null,
    },
  );
  assert.equal(git.git(['cat-file', '-t', 'refs/tags/v1.0']), 'commit');
  assert.deepEqual(expectStatus(await app.get(`${path}/tags/v1.0`), 200), tag);
});

test('POST /tags with a message makes an annotated tag that git finds sound', async (t) => {
  const { path, git, head, project } = await seededProject(app, t);
  const { developer } = await app.make.members(project);
  const text = 'Release 1\n\nobject fake\ntagger Mallory <m@example.com> 0 +0000 é';
  const json = { tag_name: 'rel/1', ref: head, message: text };
  const tag = expectStatus<TagJson>(await app.post(`${path}/tags`, { token: developer.token, json }), 201);
  assert.equal(tag.message, text);
  assert.equal(tag.commit?.id, head);
  assert.notEqual(tag.target, head);
  assert.equal(tag.created_at, '2026-06-15T12:00:00.000+00:00');
  const { name, email } = developer.user;
  const lines = git.git(['cat-file', 'tag', tag.target]).split('\n');
  assert.deepEqual(lines.slice(0, 5), [
    `object ${head}`,
    'type commit',
    'tag rel/1',
    `tagger ${name} <${email}> 1781524800 +0000`,
    '',
  ]);
  git.git(['fsck', '--strict', '--full']);
  const read = expectStatus<TagJson>(await app.get(`${path}/tags/rel%2F1`), 200);
  assert.deepEqual(read, tag);
});

test('POST /tags refuses in the words of the platform', async (t) => {
  const { path, head } = await seededProject(app, t);
  const post = async (json: object) => message(expectStatus(await app.post(`${path}/tags`, { json }), 400));
  assert.equal(await post({ ref: 'main' }), 'tag_name is missing');
  assert.equal(await post({ tag_name: 'x' }), 'ref is missing');
  expectStatus(await app.post(`${path}/tags`, { json: { tag_name: 'v1', ref: 'main' } }), 201);
  assert.equal(await post({ tag_name: 'v1', ref: 'main' }), 'Tag v1 already exists');
  assert.equal(await post({ tag_name: 'x', ref: 'none' }), 'Target none is invalid');
  assert.equal(await post({ tag_name: 'x', ref: '--force' }), 'Target --force is invalid');
  for (const tag_name of ['', '-d', 'a b', 'a..b', 'a.lock', 'HEAD', 'refs/tags/x', head, `${head}-x`, 'v1/x']) {
    assert.equal(await post({ tag_name, ref: 'main' }), 'Tag name invalid', tag_name);
  }
});

test('two POST /tags of one name at once: one makes it, the other is refused', async (t) => {
  const { path } = await seededProject(app, t);
  const create = () => app.post(`${path}/tags`, { json: { tag_name: 'twice', ref: 'main', message: 'm' } });
  const answers = await Promise.all([create(), create()]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400]);
});

test('GET /tags orders, searches and pages', async (t) => {
  const { path, git, base, head, side } = await seededProject(app, t);
  const at = (seconds: number) => {
    const text = `object ${base}\ntype commit\ntag x\ntagger Ada <ada@example.com> ${seconds} +0000\n\nannotated\n`;
    return git.git(['hash-object', '-t', 'tag', '-w', '--stdin'], text);
  };
  git.git(['update-ref', 'refs/tags/v1.10', at(1_900_000_000)]);
  git.git(['update-ref', 'refs/tags/v1.9', at(1_000_000_000)]);
  git.git(['update-ref', 'refs/tags/v1.2', head]);
  git.git(['update-ref', 'refs/tags/other', side]);
  git.git(['pack-refs', '--all']);
  const names = async (query: NonNullable<RequestOptions['query']>) =>
    expectStatus<TagJson[]>(await app.get(`${path}/tags`, { query }), 200).map(({ name }) => name);
  assert.deepEqual(await names({}), ['v1.10', 'other', 'v1.2', 'v1.9']);
  assert.deepEqual(await names({ order_by: 'updated', sort: 'asc' }), ['v1.9', 'other', 'v1.2', 'v1.10']);
  assert.deepEqual(await names({ order_by: 'name', sort: 'asc' }), ['other', 'v1.10', 'v1.2', 'v1.9']);
  assert.deepEqual(await names({ order_by: 'version', sort: 'asc' }), ['other', 'v1.2', 'v1.9', 'v1.10']);
  assert.deepEqual(await names({ order_by: 'version', sort: 'desc' }), ['v1.10', 'v1.9', 'v1.2', 'other']);
  assert.deepEqual(await names({ order_by: 'name', search: '^v1.1' }), ['v1.10']);
  assert.deepEqual(await names({ order_by: 'name', sort: 'asc', per_page: 3, page: 2 }), ['v1.9']);
  const keyset = { pagination: 'keyset', order_by: 'name', sort: 'asc', per_page: 2 };
  assert.deepEqual(await names({ ...keyset, page_token: 'v1.10' }), ['v1.2', 'v1.9']);
  expectStatus(await app.get(`${path}/tags`, { query: { pagination: 'keyset', page_token: 'gone' } }), 422);
  const { headers } = await app.get(`${path}/tags`, { query: { per_page: 3 } });
  assert.equal(headers['x-total'], '4');
});

test('GET /tags shows tags of trees, blobs and tags, too', async (t) => {
  const { path, git, head } = await seededProject(app, t);
  git.git(['tag', 'a-tree', `${head}^{tree}`]);
  git.git(['tag', '-a', '-m', 'inner', 'b-inner', head]);
  git.git(['tag', '-a', '-m', 'outer', 'c-outer', 'b-inner']);
  const query = { order_by: 'name', sort: 'asc' };
  const tags = expectStatus<TagJson[]>(await app.get(`${path}/tags`, { query }), 200);
  assert.deepEqual(
    tags.map(({ name, commit, message: text }) => [name, commit?.id ?? null, text]),
    [
      ['a-tree', null, null],
      ['b-inner', head, 'inner'],
      ['c-outer', head, 'outer'],
    ],
  );
  expectStatus(await app.get(`${path}/tags`), 200);
});

test('a tag that is not there is 404, whatever its name', async (t) => {
  const { path } = await seededProject(app, t);
  for (const name of ['none', 'a b', '..', 'main', '--help']) {
    const response = await app.get(`${path}/tags/${encodeURIComponent(name)}`);
    if (name !== '..') assert.equal(message(expectStatus(response, 404)), '404 Tag Not Found');
    else expectStatus(response, 404);
  }
});

test('DELETE /tags removes a tag, and heeds If-Unmodified-Since', async (t) => {
  const { path, git, project } = await seededProject(app, t);
  const { developer } = await app.make.members(project);
  git.git(['tag', '-a', '-m', 'm', 'v1', 'main']);
  const { token } = developer;
  const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expectStatus(await app.delete(`${path}/tags/v1`, { token, headers }), 412);
  expectStatus(await app.delete(`${path}/tags/v1`, { token }), 204);
  assert.equal(message(expectStatus(await app.delete(`${path}/tags/v1`, { token }), 404)), '404 Tag Not Found');
});

test('a protected tag is made by those who may, and removed by Maintainers', async (t) => {
  const { path, project } = await seededProject(app, t);
  const { developer, maintainer } = await app.make.members(project);
  await app.post(`/projects/${project.id}/protected_tags`, { json: { name: 'v*' } });
  const json = { tag_name: 'v1', ref: 'main' };
  const refusal = expectStatus(await app.post(`${path}/tags`, { token: developer.token, json }), 400);
  assert.equal(message(refusal), 'You are not allowed to create this tag as it is protected.');
  const tag = expectStatus<TagJson>(await app.post(`${path}/tags`, { token: maintainer.token, json }), 201);
  assert.equal(tag.protected, true);
  expectStatus(await app.delete(`${path}/tags/v1`, { token: developer.token }), 403);
  expectStatus(await app.delete(`${path}/tags/v1`, { token: maintainer.token }), 204);
});

test('tags are read by whoever sees the code and written by Developers', async (t) => {
  const open = await seededProject(app, t, { visibility: 'public' });
  expectStatus(await app.get(`${open.path}/tags`, { token: null }), 200);
  const { stranger, guest, reporter, developer } = await app.make.members(open.project);
  const json = { tag_name: 'x', ref: 'main' };
  for (const token of [null, stranger.token, guest.token, reporter.token]) {
    const status = token === null ? 401 : 403;
    expectStatus(await app.post(`${open.path}/tags`, { token, json }), status);
    expectStatus(await app.delete(`${open.path}/tags/x`, { token }), status);
  }
  const readOnly = await app.make.token(developer.user.id, ['read_api']);
  expectStatus(await app.post(`${open.path}/tags`, { token: readOnly, json }), 403);
  const closed = await seededProject(app, t);
  expectStatus(await app.get(`${closed.path}/tags`, { token: stranger.token }), 404);
  expectStatus(await app.get(`${closed.path}/tags`, { token: null }), 404);
});
