import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { changeSettings } from '../../../../test/support/settings.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let ada: TestUser;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
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

describe('POST /snippets', () => {
  test('makes a snippet of several files, internal where nothing else is said, with all its addresses', async () => {
    const made = await make({ description: 'Some text' });
    const base = app.deps.externalUrl();
    const { username, name } = ada.user;
    const web_url = `${base}/-/snippets/${made.id}`;
    assert.deepEqual(made, {
      id: made.id,
      title: 'Title',
      description: 'Some text',
      visibility: 'internal',
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
    const { snippet, ...payload } = JSON.parse(event!.payload);
    assert.equal(snippet.title, made.title);
    assert.deepEqual(
      [event?.type, payload, event?.actor_id],
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
    const response = await app.get(`/snippets/${upload.id}/raw`, { token: ada.token });
    assert.deepEqual(response.rawPayload, bytes);
    assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8');
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
      [{ title: 't', files: null }, 400, 'files, content are missing, exactly one parameter must be provided'],
      [{ title: 't', content: null }, 400, 'files, content are missing, exactly one parameter must be provided'],
      [{ title: 't', files: null, content: null, file_name: null }, 400, /files, content are missing/],
      [{ title: 't', content: 'x', file_name: null }, 400, 'file_name is missing'],
      [{ title: 't', files: [null] }, 400, /files/],
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
    for (const file_path of [...bad, 'GIT~1/x', 'a//b', './a', 'a\\..\\b', 'x'.repeat(4_097)]) {
      const json = { title: 't', files: [{ file_path, content: 'x' }] };
      assert.equal(await error('POST', '/snippets', json, 400), 'files[0][file_path] should be a valid file path');
    }
    await error('POST', '/snippets', { title: 't', files: [{ file_path: 'a\0b', content: 'x' }] }, 400);
    for (const path of ['a\nb', 'a\rb', 'a"b;c', 'ä ö.txt', '-n', 'a?#%2e']) {
      const made = await make({ files: [{ file_path: path, content: path }] });
      assert.equal(made.file_name, path);
      assert.equal(await raw(made.id, path), path);
      const response = await app.get(`/snippets/${made.id}/raw`, { token: ada.token });
      assert.match(
        String(response.headers['content-disposition']),
        /^inline; filename="[^"\r\n]*"; filename\*=UTF-8''[^"\r\n;]*$/,
      );
    }
  });

  test('limits the size of a file', async () => {
    const { snippet } = app.deps.config.limits;
    await changeSettings(app, { snippet_size_limit: 1_024 });
    try {
      await make({ files: [{ file_path: 'a', content: 'x'.repeat(1_024) }] });
      const json = { title: 't', files: [{ file_path: 'a', content: 'x'.repeat(1_536) }] };
      const text = 'Content is too long (1.5 KiB). The maximum size is 1 KiB.';
      assert.equal(await error('POST', '/snippets', json, 400), text);
    } finally {
      await changeSettings(app, { snippet_size_limit: snippet });
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
