import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let ada: TestUser;
let other: TestUser;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
  other = await app.make.user();
});
after(() => app.close());

const FILES = [
  { file_path: 'b/two.txt', content: 'two\n' },
  { file_path: 'one.rb', content: "puts 'one'\n" },
];

async function make(json: Json = {}, { token } = ada): Promise<{ id: number } & Json> {
  const body = { title: 'Title', files: FILES, ...json };
  return expectStatus<{ id: number } & Json>(await app.post('/snippets', { token, json: body }), 201);
}

const raw = async (id: number, path: string, token: string | null = ada.token) => {
  const response = await app.get(`/snippets/${id}/files/main/${encodeURIComponent(path)}/raw`, { token });
  return response.statusCode === 200 ? response.body : response.statusCode;
};

const error = async (method: 'POST' | 'PUT', path: string, json: Json, status: number, token = ada.token) =>
  expectStatus<Json>(await app.request(method, path, { token, json }), status).message;

describe('PUT /snippets/:id', () => {
  test('applies actions and attributes together, in one commit', async () => {
    const { id } = await make();
    clock.advance(1_000);
    const files = [
      { action: 'create', file_path: 'new.md', content: '# New' },
      { action: 'update', file_path: 'one.rb', content: 'puts 1' },
      { action: 'move', file_path: 'moved.txt', previous_path: 'b/two.txt' },
    ];
    const json = { title: 'Other', description: null, visibility: 'public', files };
    const changed = expectStatus<Json>(await app.put(`/snippets/${id}`, { token: ada.token, json }), 200);
    assert.deepEqual(
      [changed.title, changed.description, changed.visibility, changed.updated_at],
      ['Other', null, 'public', clock.now().toISOString()],
    );
    assert.deepEqual(
      (changed.files as Json[]).map(({ path }) => path),
      ['moved.txt', 'new.md', 'one.rb'],
    );
    assert.equal(await raw(id, 'one.rb', null), 'puts 1');
    assert.equal(await raw(id, 'moved.txt', null), 'two\n');
    assert.equal(await raw(id, 'b/two.txt', null), 404);
    const events = await app.deps.db
      .selectFrom('domain_events')
      .select('type')
      .orderBy('id', 'desc')
      .limit(2)
      .execute();
    assert.deepEqual(events.map(({ type }) => type).sort(), ['snippet.pushed', 'snippet.updated']);
    const removal = { files: [{ action: 'delete', file_path: 'new.md' }] };
    const less = expectStatus<Json>(await app.put(`/snippets/${id}`, { token: ada.token, json: removal }), 200);
    assert.equal((less.files as Json[]).length, 2);
  });

  test('of attributes alone makes no commit, nor does a content that is there already', async () => {
    const { id } = await make();
    const head = async () => {
      const row = await app.deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const { repository_storage: storage, disk_path: diskPath } = row;
      return app.deps.storages.open({ storage, diskPath }).refs.resolve('refs/heads/main');
    };
    const first = await head();
    const files = [{ action: 'update', file_path: 'one.rb', content: "puts 'one'\n" }];
    for (const json of [{ title: 'New' }, { description: 'x', files }]) {
      const changed = expectStatus<Json>(await app.put(`/snippets/${id}`, { token: ada.token, json }), 200);
      assert.equal(changed.title, 'New');
    }
    assert.equal(await head(), first);
  });

  test('takes the old form for a snippet of one file', async () => {
    const { id } = await make({ files: [FILES[1]] });
    const put = async (json: Json) =>
      expectStatus<Json>(await app.put(`/snippets/${id}`, { token: ada.token, json }), 200).file_name;
    assert.equal(await put({ content: 'new' }), 'one.rb');
    assert.equal(await raw(id, 'one.rb'), 'new');
    assert.equal(await put({ file_name: 'renamed.rb' }), 'renamed.rb');
    assert.equal(await raw(id, 'renamed.rb'), 'new');
    assert.equal(await put({ file_name: 'both.rb', content: 'both' }), 'both.rb');
    assert.equal(await raw(id, 'both.rb'), 'both');
    const several = await make();
    const text = 'To update Snippets with multiple files, you must use the `files` parameter';
    assert.equal(await error('PUT', `/snippets/${several.id}`, { content: 'x' }, 400), text);
    assert.equal(await error('PUT', `/snippets/${several.id}`, { file_name: 'x' }, 400), text);
  });

  test('says what is wrong, and changes nothing then', async () => {
    const { id } = await make();
    const put = (files: Json[], status: number) => error('PUT', `/snippets/${id}`, { title: 'Changed', files }, status);
    const none =
      'content, description, files, file_name, title, visibility are missing, at least one parameter must be provided';
    assert.equal(await error('PUT', `/snippets/${id}`, {}, 400), none);
    const both = { files: [{ action: 'delete', file_path: 'one.rb' }] };
    assert.equal(
      await error('PUT', `/snippets/${id}`, { ...both, content: 'x' }, 400),
      'files, content are mutually exclusive',
    );
    assert.equal(
      await error('PUT', `/snippets/${id}`, { ...both, file_name: 'x' }, 400),
      'files, file_name are mutually exclusive',
    );
    assert.equal(await error('PUT', `/snippets/${id}`, { title: ' ' }, 400), 'title is empty');
    assert.equal(await put([{ action: 'bad' }], 400), 'files[0][action] does not have a valid value');
    assert.equal(await put([{ file_path: 'one.rb' }], 400), 'files[0][action] is missing');
    const traversal = [{ action: 'move', file_path: 'x', previous_path: '../y' }];
    assert.equal(await put(traversal, 400), 'files[0][previous_path] should be a valid file path');
    for (const files of [
      [{ action: 'create', file_path: 'x' }],
      [{ action: 'create', content: 'x' }],
      [{ action: 'update', file_path: 'one.rb' }],
      [{ action: 'update', content: 'x' }],
      [{ action: 'move', file_path: 'x' }],
      [{ action: 'move', file_path: 'one.rb', previous_path: 'one.rb' }],
      [{ action: 'delete' }],
    ]) {
      assert.equal(await put(files, 422), 'Snippet actions have invalid data');
    }
    const start = 'Repository Error updating the snippet -';
    const exists = [{ action: 'create', file_path: 'one.rb', content: 'x' }];
    assert.equal(await put(exists, 400), `${start} A file with this name already exists`);
    const missing = [{ action: 'update', file_path: 'none', content: 'x' }];
    assert.equal(await put(missing, 400), `${start} A file with this name doesn't exist`);
    const through = [{ action: 'move', file_path: 'x', previous_path: 'one.rb/y' }];
    assert.equal(await put(through, 400), `${start} A file with this name doesn't exist`);
    const all = FILES.map(({ file_path }) => ({ action: 'delete', file_path }));
    assert.equal(await put(all, 400), `${start} The repository must contain at least 1 file.`);
    const many = Array.from({ length: 9 }, (_, n) => ({ action: 'create', file_path: `f${n}`, content: 'x' }));
    assert.equal(await put(many, 400), `${start} The repository can contain at most 10 file(s).`);
    const now = expectStatus<Json>(await app.get(`/snippets/${id}`, { token: ada.token }), 200);
    assert.deepEqual([now.title, (now.files as Json[]).length], ['Title', 2]);
  });

  test('is for the author and administrators', async () => {
    const hidden = await make({ visibility: 'private' });
    const open = await make({ visibility: 'public' });
    const json = { title: 'Mine now' };
    expectStatus(await app.put(`/snippets/${hidden.id}`, { token: other.token, json }), 404);
    expectStatus(await app.put(`/snippets/${open.id}`, { token: other.token, json }), 403);
    expectStatus(await app.put(`/snippets/${open.id}`, { token: null, json }), 401);
    expectStatus(await app.put(`/snippets/${hidden.id}`, { json }), 200);
    const reader = await app.make.token(ada.user.id, ['read_api']);
    expectStatus(await app.put(`/snippets/${hidden.id}`, { token: reader, json }), 403);
  });
});
