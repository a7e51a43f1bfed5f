import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { closedAddress, type FileServer, serveFiles } from '../../../test/support/file-server.ts';
import { fetchRemoteFile } from './remote-files.ts';

let app: TestApp;
let server: FileServer;
let failures = 0;
const failing =
  (status: number, times: number): RequestListener =>
  (_, response) => {
    failures += 1;
    if (failures > times) response.end('job: {script: echo}');
    else response.writeHead(status).end();
  };
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  server = await serveFiles({
    '/file': 'job: {script: echo}',
    '/empty': ' \n',
    '/large': 'x'.repeat(1_048_577),
    '/twice': failing(503, 2),
    '/always': failing(500, 100),
    '/silent': () => {},
  });
});
after(async () => {
  await server.close();
  await app.close();
});

const QUICK = { timeoutMs: 20_000, pausesMs: [1, 1] };
const fetched = (path: string, cacheSeconds: number | null = null, tries = QUICK) =>
  fetchRemoteFile(app.deps, `${server.url}${path}`, cacheSeconds, tries);

test('a file is fetched', async () => {
  assert.deepEqual(await fetched('/file'), { content: 'job: {script: echo}' });
});

test('a server that fails or is slow is asked three times, others once', async () => {
  failures = 0;
  assert.deepEqual(await fetched('/twice'), { content: 'job: {script: echo}' });
  failures = 0;
  assert.deepEqual(await fetched('/always'), { error: 'after 3 attempts because of HTTP code `500` error!' });
  assert.equal(failures, 3);
  assert.deepEqual(await fetched('/none'), { error: 'after 1 attempt because of HTTP code `404` error!' });
  assert.deepEqual(await fetched('/silent', null, { ...QUICK, timeoutMs: 50 }), {
    error: 'after 3 attempts because of a timeout error!',
  });
  assert.deepEqual(await fetchRemoteFile(app.deps, await closedAddress(), null, QUICK), {
    error: 'after 1 attempt because of a socket error!',
  });
});

test('an empty file and one that is too large are errors', async () => {
  assert.deepEqual(await fetched('/empty'), { error: 'because the response was empty!' });
  assert.deepEqual(await fetched('/large'), { error: 'because the file is too large!' });
});

test('an answer is kept only for those who take an older one', async () => {
  const before = server.asked.length;
  await fetched('/file', 3600);
  await fetched('/file', 3600);
  assert.equal(server.asked.length, before + 1);
  await fetched('/file');
  assert.equal(server.asked.length, before + 2);
});

test('addresses that are no web addresses, or lead inside, are refused without a connection', async () => {
  const guarded = await buildTestApp();
  try {
    const of = async (url: string) => await fetchRemoteFile(guarded.deps, url, null, QUICK);
    const local = { error: 'because URL is blocked: Requests to localhost are not allowed!' };
    const before = server.asked.length;
    assert.deepEqual(await of(`${server.url}/file`), local);
    assert.deepEqual(await of(await closedAddress()), local);
    assert.deepEqual(await of('http://169.254.169.254/latest'), {
      error: 'because URL is blocked: Requests to the link local network are not allowed!',
    });
    assert.deepEqual(await of('ftp://example.com/x'), {
      error: 'because URL is blocked: Only allowed schemes are http, https!',
    });
    assert.equal(server.asked.length, before);
  } finally {
    await guarded.close();
  }
});
