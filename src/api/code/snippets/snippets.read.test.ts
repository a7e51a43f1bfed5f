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

describe('reading a snippet', () => {
  test('is for those whom its visibility lets', async () => {
    const external = await app.make.user({ columns: { external: 1 } });
    const callers = [null, external.token, other.token, ada.token, undefined];
    const expected = {
      private: [404, 404, 404, 200, 200],
      internal: [404, 404, 200, 200, 200],
      public: [200, 200, 200, 200, 200],
    };
    for (const [visibility, statuses] of Object.entries(expected)) {
      const { id } = await make({ visibility });
      for (const rest of ['', '/raw', '/files/main/one.rb/raw']) {
        const seen = [];
        for (const token of callers) {
          const options = token === undefined ? {} : { token };
          seen.push((await app.get(`/snippets/${id}${rest}`, options)).statusCode);
        }
        assert.deepEqual(seen, statuses, `${visibility} ${rest}`);
      }
    }
    const missing = expectStatus<Json>(await app.get('/snippets/999999'), 404);
    assert.equal(missing.message, '404 Snippet Not Found');
    expectStatus(await app.get('/snippets/abc'), 400);
  });

  test('a change of visibility takes effect at once', async () => {
    const { id } = await make({ visibility: 'public' });
    const ids = async (path: string) =>
      expectStatus<Json[]>(await app.get(path, { token: other.token }), 200).map((each) => each.id);
    for (const path of ['/snippets/public', '/snippets/all']) assert.ok((await ids(path)).includes(id), path);
    expectStatus(await app.get(`/snippets/${id}`, { token: other.token }), 200);
    expectStatus(await app.put(`/snippets/${id}`, { token: ada.token, json: { visibility: 'private' } }), 200);
    for (const path of ['/snippets/public', '/snippets/all']) assert.ok(!(await ids(path)).includes(id), path);
    expectStatus(await app.get(`/snippets/${id}`, { token: other.token }), 404);
  });

  test('files are sent as text that nothing runs, with an ETag', async () => {
    const html = '<script>alert(1)</script>';
    const { id } = await make({ visibility: 'public', files: [{ file_path: 'dir/x.html', content: html }] });
    for (const path of [`/snippets/${id}/raw`, `/snippets/${id}/files/main/dir%2Fx.html/raw`]) {
      const response = await app.get(path, { token: null });
      assert.equal(response.body, html);
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8');
      assert.equal(response.headers['x-content-type-options'], 'nosniff');
      assert.match(String(response.headers['content-security-policy']), /sandbox/);
      assert.equal(response.headers['content-disposition'], `inline; filename="x.html"; filename*=UTF-8''x.html`);
      const etag = String(response.headers.etag);
      expectStatus(await app.get(path, { headers: { 'if-none-match': etag } }), 304);
      const head = await app.head(path);
      assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [200, String(html.length), '']);
    }
  });

  test('a large file streams whole', async () => {
    const content = 'line of text\n'.repeat(200_000);
    const { id } = await make({ files: [{ file_path: 'large', content }] });
    const response = await app.get(`/snippets/${id}/raw`, { token: ada.token });
    assert.equal(response.statusCode, 200);
    assert.ok(response.body === content);
  });

  test('other refs and paths are not found or refused', async () => {
    const { id } = await make();
    const get = async (rest: string) => {
      const response = await app.get(`/snippets/${id}/files/${rest}/raw`, { token: ada.token });
      return [response.statusCode, response.json<Json>().message];
    };
    assert.deepEqual(await get('nope/one.rb'), [404, '404 Reference Not Found']);
    assert.deepEqual(await get('main/none'), [404, '404 File Not Found']);
    assert.deepEqual(await get('main/b'), [404, '404 File Not Found']);
    assert.deepEqual(await get('main/..%2F..%2Fetc%2Fpasswd'), [400, 'file_path should be a valid file path']);
    assert.deepEqual(await get('main/%2Fetc%2Fpasswd'), [404, '404 File Not Found']);
    assert.equal((await app.get(`/snippets/${id}/files/HEAD/one.rb/raw`, { token: ada.token })).statusCode, 200);
  });

  test('user_agent_detail is for administrators', async () => {
    const { id } = await make({ visibility: 'public' });
    const path = `/snippets/${id}/user_agent_detail`;
    for (const { token } of [ada, other]) expectStatus(await app.get(path, { token }), 403);
    expectStatus(await app.get(path, { token: null }), 401);
    assert.deepEqual(expectStatus(await app.get(path), 200), {
      user_agent: 'lightMyRequest',
      ip_address: '127.0.0.1',
      akismet_submitted: false,
    });
    await app.deps.db.updateTable('snippets').set({ user_agent: null }).where('id', '=', id).execute();
    assert.equal(expectStatus<Json>(await app.get(path), 404).message, '404 UserAgentDetail Not Found');
  });
});

describe('lists', () => {
  test('give what is mine, what is public, and all that may be read', async () => {
    const writer = await app.make.user();
    const reader = await app.make.user();
    const external = await app.make.user({ columns: { external: 1 } });
    const made: Record<string, number> = {};
    for (const visibility of ['private', 'internal', 'public']) {
      clock.advance(60_000);
      made[visibility] = (await make({ visibility, title: visibility }, writer)).id;
    }
    const list = async (path: string, token: string | undefined) =>
      expectStatus<Json[]>(await app.get(path, token === undefined ? {} : { token }), 200)
        .filter(({ author }) => (author as Json).id === writer.user.id)
        .map(({ title }) => title);
    assert.deepEqual(await list('/snippets', writer.token), ['public', 'internal', 'private']);
    assert.deepEqual(await list('/snippets', reader.token), []);
    for (const { token } of [writer, reader]) assert.deepEqual(await list('/snippets/public', token), ['public']);
    assert.deepEqual(await list('/snippets/all', reader.token), ['public', 'internal']);
    assert.deepEqual(await list('/snippets/all', external.token), ['public']);
    assert.deepEqual(await list('/snippets/all', writer.token), ['public', 'internal', 'private']);
    assert.deepEqual(await list('/snippets/all', undefined), ['public', 'internal', 'private']);
    for (const path of ['/snippets', '/snippets/public', '/snippets/all']) {
      expectStatus(await app.get(path, { token: null }), 401);
    }
    const query = { created_after: '2026-06-16', created_before: '2026-06-17T00:00:00Z' };
    assert.deepEqual(expectStatus(await app.get('/snippets/all', { query }), 200), []);
    expectStatus(await app.get('/snippets', { query: { created_after: 'tomorrow' } }), 400);
    const page = await app.get('/snippets', { token: writer.token, query: { per_page: 1, page: 2 } });
    assert.deepEqual(
      [expectStatus<Json[]>(page, 200).map(({ id }) => id), page.headers['x-total']],
      [[made.internal], '3'],
    );
    const newer = expectStatus<Json[]>(
      await app.get('/snippets', { token: writer.token, query: { created_after: clock.now().toISOString() } }),
      200,
    );
    assert.deepEqual(
      newer.map(({ id }) => id),
      [made.public],
    );
  });

  test('let administrators filter by storage', async () => {
    const { id } = await make({ visibility: 'public' });
    const ids = async (storage: string, token?: string) => {
      const query = { repository_storage: storage, per_page: 100 };
      const options = token === undefined ? { query } : { query, token };
      return expectStatus<Json[]>(await app.get('/snippets/all', options), 200).map((each) => each.id);
    };
    assert.ok((await ids('default')).includes(id));
    assert.deepEqual(await ids('second'), []);
    assert.ok((await ids('second', ada.token)).includes(id));
    const shown = expectStatus<Json>(await app.get(`/snippets/${id}`), 200);
    assert.equal(shown.repository_storage, 'default');
  });
});
