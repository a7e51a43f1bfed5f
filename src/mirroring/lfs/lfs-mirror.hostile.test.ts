import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { serveFiles } from '../../../test/support/file-server.ts';
import { freshContent, type LfsContent, lfsOf, lfsScene } from '../../../test/support/lfs.ts';
import { LfsRemote } from './lfs-mirror.remote.ts';

type Json = Record<string, unknown>;
const settings = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
let near: TestApp;
let far: TestApp;
before(async () => {
  near = await buildTestApp({ settings });
  far = await buildTestApp({ settings });
});
after(async () => {
  await near.close();
  await far.close();
});

type Scene = Awaited<ReturnType<typeof lfsScene>>;

/** A server whose repository is that of a project on the other one, and whose LFS is the test's own. */
async function withLfs(
  answer: (request: { oid: string; size: number }, url: string) => Json,
  more: Record<string, RequestListener>,
  use: (scene: Scene, content: LfsContent, url: string) => Promise<void>,
): Promise<void> {
  const made = await lfsScene(near, far);
  const content = freshContent();
  made.commit('large.bin', content);
  const repository = `/${made.source.full_path}.git`;
  const seen: Record<string, RequestListener> = {
    [`${repository}/info/lfs/objects/batch`]: (request: IncomingMessage, response: ServerResponse) => {
      request.resume();
      response.end(JSON.stringify({ transfer: 'basic', objects: [{ ...content, ...answer(content, server.url) }] }));
    },
    ...more,
  };
  const forward: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const own = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'accept-encoding'];
    const headers = Object.entries(request.headers).filter(([name]) => !own.includes(name)) as [string, string][];
    const answer = await fetch(`${made.base}${request.url}`, {
      method: request.method!,
      headers: [...headers, ['accept-encoding', 'identity']],
      ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    });
    const type = answer.headers.get('content-type') ?? '';
    const asks = answer.headers.get('www-authenticate');
    response.writeHead(answer.status, { 'content-type': type, ...(asks === null ? {} : { 'www-authenticate': asks }) });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  const server = await serveFiles(
    new Proxy(seen, {
      get: (files, path: string) =>
        files[path] ?? (path.includes('/git-upload-pack') || path.includes('/info/refs') ? forward : undefined),
    }),
  );
  try {
    await use(made, content, `${server.url}${repository}`.replace('//', `//root:${ROOT_TOKEN}@`));
  } finally {
    await server.close();
  }
}

const download = (href: string, header: Json = {}) => ({ actions: { download: { href, header } } });

test('a server gets no credentials for another one, and none along a redirect', async () => {
  const seen: Json[] = [];
  const elsewhere = await serveFiles({
    '/object': (request, response) => {
      seen.push(request.headers);
      response.writeHead(302, { location: `http://localhost:${new URL(elsewhere.url).port}/end` }).end();
    },
    '/end': (request, response) => {
      seen.push(request.headers);
      response.end('other bytes');
    },
  });
  try {
    await withLfs(
      () => download(`${elsewhere.url}/object`, { 'X-Signed': 'yes', Host: 'evil', 'Content-Length': '5' }),
      {},
      async ({ copy, follow }, content, url) => {
        const { last_error, update_status } = await follow({ url });
        assert.equal(update_status, 'finished');
        assert.equal(
          last_error,
          `LFS object ${content.oid} could not be fetched: The remote server sent different content.`,
        );
        assert.deepEqual(await lfsOf(near, copy.id), []);
      },
    );
    assert.deepEqual(
      seen.map(({ authorization, 'x-signed': signed, host }) => [authorization, signed, String(host).split(':')[0]]),
      [
        [undefined, 'yes', '127.0.0.1'],
        [undefined, undefined, 'localhost'],
      ],
    );
  } finally {
    await elsewhere.close();
  }
});

test('a server gets credentials for its own addresses', async () => {
  const seen: unknown[] = [];
  let bytes = '';
  const object: RequestListener = ({ headers }, response) => {
    seen.push(headers.authorization);
    response.end(bytes);
  };
  await withLfs(
    (_, url) => download(`${url}/own`),
    { '/own': object },
    async ({ follow, copy }, content, url) => {
      bytes = content.content;
      assert.equal((await follow({ url })).last_error, null);
      assert.deepEqual(await lfsOf(near, copy.id), [content.oid]);
    },
  );
  assert.deepEqual(seen, [`Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}`]);
});

for (const [name, answer, message] of [
  [
    'names a file',
    () => download('file:///etc/passwd'),
    /An address returned by the remote server is blocked: Only allowed schemes/,
  ],
  ['names no address', () => download('no address'), /is blocked: URI is invalid/],
  ['sends headers that break out', (url: string) => download(`${url}/own`, { X: 'a\r\nY: b' }), /could not be reached/],
  ['has errors for numbers', () => ({ error: { code: 'x' } }), /answered with status 500/],
  ['has too much', () => ({ error: { code: 410 } }), /Not found on the remote server/],
] as const) {
  test(`a server is told of when it ${name}`, async () => {
    await withLfs(
      (_, url) => answer(url),
      {},
      async ({ follow, copy, from, to }, _, url) => {
        const { last_error, update_status } = await follow({ url });
        assert.match(String(last_error), message);
        assert.equal(update_status, 'finished');
        assert.ok(!String(last_error).includes(ROOT_TOKEN));
        assert.deepEqual(await lfsOf(near, copy.id), []);
        assert.equal(to.run(['rev-parse', 'main']), from.run(['rev-parse', 'main']));
      },
    );
  });
}

test('a server that leads to addresses inside is not followed', async () => {
  const remote = LfsRemote.of({ url: 'https://1.1.1.1/x.git', addresses: ['1.1.1.1'] }, { allowLocalNetwork: false })!;
  const { signal } = new AbortController();
  for (const href of ['http://127.0.0.1:8080/x', 'http://169.254.169.254/latest', 'http://[::ffff:7f00:1]/']) {
    await assert.rejects(remote.download({ href, header: {} }, signal), /is blocked: Requests to/);
    const actions = new Map([['upload', { href, header: {} }]]);
    const upload = remote.upload({ oid: 'a', size: 1, actions, error: null }, Readable.from(['a']), signal);
    await assert.rejects(upload, /is blocked: Requests to/);
  }
});
