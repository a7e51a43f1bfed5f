import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import type { TestUser } from '../../../test/support/factories.ts';

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
  const answer = await app.get(`/snippets/${id}/files/main/${encodeURIComponent(path)}/raw`, { token });
  return answer.statusCode === 200 ? answer.body : answer.statusCode;
};

const error = async (method: 'POST' | 'PUT', path: string, json: Json, status: number, token = ada.token) =>
  expectStatus<Json>(await app.request(method, path, { token, json }), status).message;

describe('POST /snippets', () => {
  test('makes a private snippet of several files, with all its addresses', async () => {
    const made = await make({ description: 'Some text' });
    const base = app.deps.externalUrl();
    const { username, name } = ada.user;
    const web_url = `${base}/-/snippets/${made.id}`;
    assert.deepEqual(made, {
      id: made.id,
      title: 'Title',
      description: 'Some text',
      visibility: 'private',
      author: {
        id: ada.user.id,
        username,
        public_email: null,
        name,
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${base}/${username}`,
      },
      created_at: '2026-06-15T12:00:00.000Z',
      updated_at: '2026-06-15T12:00:00.000Z',
      expires_at: null,
      project_id: null,
      web_url,
      raw_url: `${web_url}/raw`,
      ssh_url_to_repo: `git@127.0.0.1:snippets/${made.id}.git`,
      http_url_to_repo: `${base}/snippets/${made.id}.git`,
      file_name: 'b/two.txt',
      files: [
        { path: 'b/two.txt', raw_url: `${web_url}/raw/main/b/two.txt` },
        { path: 'one.rb', raw_url: `${web_url}/raw/main/one.rb` },
      ],
      imported: false,
      imported_from: 'none',
    });
    assert.deepEqual(expectStatus(await app.get(`/snippets/${made.id}`, { token: ada.token }), 200), made);
    assert.equal(await raw(made.id, 'one.rb'), "puts 'one'\n");
    const event = await app.deps.db.selectFrom('domain_events').selectAll().orderBy('id', 'desc').executeTakeFirst();
    assert.deepEqual(
      [event?.type, JSON.parse(event!.payload), event?.actor_id],
      ['snippet.created', { snippet_id: made.id, project_id: null }, ada.user.id],
    );
  });

  test('takes the old form of one file, also urlencoded and as a multipart upload with any bytes', async () => {
    const form = `title=Old&content=${encodeURIComponent('a\nb')}&file_name=old.txt&visibility=public`;
    const old = expectStatus<Json>(await app.post('/snippets', { token: ada.token, form }), 201);
    assert.deepEqual([old.file_name, old.visibility], ['old.txt', 'public']);
    const nameless = await make({ files: undefined, content: 'x', file_name: '' });
    assert.equal(nameless.file_name, 'snippetfile1.txt');
    const nested = 'title=Form&files[][file_path]=a&files[][content]=1&files[][file_path]=b&files[][content]=2';
    const two = expectStatus<{ files: Json[] }>(await app.post('/snippets', { token: ada.token, form: nested }), 201);
    assert.deepEqual(
      two.files.map(({ path }) => path),
      ['a', 'b'],
    );
    const bytes = Buffer.from([0, 255, 13, 10, 128, 0]);
    const part = (name: string, rest = '') => `--x\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(`${part('title')}Bytes\r\n${part('files[][file_path]')}x.bin\r\n`),
      Buffer.from(part('files[][content]', '; filename="x.bin"')),
      bytes,
      Buffer.from('\r\n--x--\r\n'),
    ]);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const upload = expectStatus<{ id: number }>(await app.post('/snippets', { token: ada.token, body, headers }), 201);
    const answer = await app.get(`/snippets/${upload.id}/raw`, { token: ada.token });
    assert.deepEqual(answer.rawPayload, bytes);
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  });

  test('says what is wrong with the parameters', async () => {
    const files = FILES;
    const problems: [Json, number, string | RegExp][] = [
      [{ files }, 400, 'title is missing'],
      [{ title: ' ', files }, 400, 'title is empty'],
      [{ title: 'x'.repeat(256), files }, 400, /title is too long/],
      [{ title: 't' }, 400, 'files, content are missing, exactly one parameter must be provided'],
      [{ title: 't', files, content: 'x', file_name: 'y' }, 400, 'files, content are mutually exclusive'],
      [{ title: 't', content: 'x' }, 400, 'file_name is missing'],
      [{ title: 't', content: '', file_name: 'y' }, 400, 'content is empty'],
      [{ title: 't', files: [] }, 400, 'files is empty'],
      [{ title: 't', files: [{ file_path: 'a', content: '' }] }, 400, 'files[0][content] is empty'],
      [{ title: 't', files: [{ file_path: 'a' }] }, 400, /^files\[0\]\[content\] is missing/],
      [{ title: 't', files: [{ content: 'a' }] }, 400, /^files\[0\]\[file_path\] is missing/],
      [{ title: 't', files, visibility: 'secret' }, 400, 'visibility does not have a valid value'],
      [{ title: 't', files: [FILES[0], FILES[0]] }, 400, /A file with this name already exists/],
    ];
    for (const [json, status, expected] of problems) {
      const message = await error('POST', '/snippets', json, status);
      if (typeof expected === 'string') assert.equal(message, expected);
      else assert.match(String(message), expected);
    }
    const eleven = Array.from({ length: 11 }, (_, n) => ({ file_path: `f${n}`, content: 'x' }));
    const text = 'Repository Error creating the snippet - The repository can contain at most 10 file(s).';
    assert.equal(await error('POST', '/snippets', { title: 't', files: eleven }, 400), text);
    assert.equal((await make({ files: eleven.slice(1) })).file_name, 'f1');
  });

  test('refuses paths that leave the repository or mean git itself, and keeps odd ones', async () => {
    const bad = ['../x', '/x', 'a/../../x', '.git/config', '.GIT/hooks/pre-receive', 'a/.git/x', '.gi\u200ct/config'];
    for (const file_path of [...bad, 'GIT~1/x', 'a//b', './a', 'a\\..\\b', 'x'.repeat(4_097), '\ud800']) {
      const json = { title: 't', files: [{ file_path, content: 'x' }] };
      assert.equal(await error('POST', '/snippets', json, 400), 'files[0][file_path] should be a valid file path');
    }
    await error('POST', '/snippets', { title: 't', files: [{ file_path: 'a\0b', content: 'x' }] }, 400);
    for (const path of ['a\nb', 'a\rb', 'a"b;c', 'ä ö.txt', '-n', 'a?#%2e']) {
      const made = await make({ files: [{ file_path: path, content: path }] });
      assert.equal(made.file_name, path);
      assert.equal(await raw(made.id, path), path);
      const answer = await app.get(`/snippets/${made.id}/raw`, { token: ada.token });
      assert.match(
        String(answer.headers['content-disposition']),
        /^inline; filename="[^"\r\n]*"; filename\*=UTF-8''[^"\r\n;]*$/,
      );
    }
  });

  test('limits the size of a file', async () => {
    const { limits } = app.deps.config;
    const before = limits.snippet;
    limits.snippet = 1_024;
    try {
      await make({ files: [{ file_path: 'a', content: 'x'.repeat(1_024) }] });
      const json = { title: 't', files: [{ file_path: 'a', content: 'x'.repeat(1_536) }] };
      const text = 'Content is too long (1.5 KiB). The maximum size is 1 KiB.';
      assert.equal(await error('POST', '/snippets', json, 400), text);
    } finally {
      limits.snippet = before;
    }
  });

  test('is for users with a token that may write, not for external ones', async () => {
    const json = { title: 't', files: FILES };
    expectStatus(await app.post('/snippets', { token: null, json }), 401);
    const reader = await app.make.token(ada.user.id, ['read_api']);
    expectStatus(await app.post('/snippets', { token: reader, json }), 403);
    const external = await app.make.user({ columns: { external: 1 } });
    expectStatus(await app.post('/snippets', { token: external.token, json }), 403);
  });
});

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
    const hidden = await make();
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
      const answer = await app.get(path, { token: null });
      assert.equal(answer.body, html);
      assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.match(String(answer.headers['content-security-policy']), /sandbox/);
      assert.equal(answer.headers['content-disposition'], `inline; filename="x.html"; filename*=UTF-8''x.html`);
      const etag = String(answer.headers.etag);
      expectStatus(await app.get(path, { headers: { 'if-none-match': etag } }), 304);
      const head = await app.head(path);
      assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [200, String(html.length), '']);
    }
  });

  test('a large file streams whole', async () => {
    const content = 'line of text\n'.repeat(200_000);
    const { id } = await make({ files: [{ file_path: 'large', content }] });
    const answer = await app.get(`/snippets/${id}/raw`, { token: ada.token });
    assert.equal(answer.statusCode, 200);
    assert.ok(answer.body === content);
  });

  test('other refs and paths are not found or refused', async () => {
    const { id } = await make();
    const get = async (rest: string) => {
      const answer = await app.get(`/snippets/${id}/files/${rest}/raw`, { token: ada.token });
      return [answer.statusCode, answer.json<Json>().message];
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
