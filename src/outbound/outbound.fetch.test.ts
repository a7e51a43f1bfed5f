import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closedAddress, type FileServer, serveFiles } from '../../test/support/file-server.ts';
import { FetchError, type FetchOptions, fetchExternal } from './outbound.fetch.ts';
import { BlockedAddress } from './outbound.resolve.ts';

const OPEN = { allowLocalNetwork: true };
const GUARDED = { allowLocalNetwork: false };
const LIMITS: FetchOptions = { timeoutMs: 20_000, maxBytes: 1000 };

let server: FileServer;
before(async () => {
  server = await serveFiles({
    '/file': 'content',
    '/large': 'x'.repeat(1001),
    '/to-file': (_, response) => response.writeHead(302, { location: '/file' }).end(),
    '/to-inside': (_, response) => response.writeHead(302, { location: 'http://[::1]:9/' }).end(),
    '/to-ssh': (_, response) => response.writeHead(302, { location: 'ssh://127.0.0.1/' }).end(),
    '/round': (_, response) => response.writeHead(302, { location: '/round' }).end(),
    '/broken': (_, response) => response.socket?.destroy(),
    '/silent': () => {},
    '/slow': (_, response) => response.write('x'),
    '/headers': (request, response) => response.end(JSON.stringify(request.headers)),
  });
});
after(() => server.close());

const kind = (expected: FetchError['kind']) => (error: unknown) =>
  error instanceof FetchError && error.kind === expected;

test('a file comes with its status', async () => {
  const { status, body } = await fetchExternal(`${server.url}/file`, OPEN, LIMITS);
  assert.equal(status, 200);
  assert.equal(body.toString(), 'content');
  assert.equal((await fetchExternal(`${server.url}/none`, OPEN, LIMITS)).status, 404);
});

test('redirects are followed, each to an address that is checked, and not for ever', async () => {
  assert.equal((await fetchExternal(`${server.url}/to-file`, OPEN, LIMITS)).body.toString(), 'content');
  await assert.rejects(fetchExternal(`${server.url}/to-ssh`, OPEN, LIMITS), BlockedAddress);
  await assert.rejects(fetchExternal(`${server.url}/to-inside`, OPEN, LIMITS), BlockedAddress);
  await assert.rejects(fetchExternal(`${server.url}/round`, OPEN, LIMITS), kind('redirects'));
});

test('nothing inside is connected to, whether somebody listens there or not', async () => {
  const before = server.asked.length;
  for (const url of [`${server.url}/file`, `${await closedAddress()}/file`]) {
    await assert.rejects(fetchExternal(url, GUARDED, LIMITS), {
      name: 'BlockedAddress',
      message: 'is blocked: Requests to localhost are not allowed',
    });
  }
  assert.equal(server.asked.length, before);
});

test('what is too large, too slow or broken off is given up', async () => {
  const short = { ...LIMITS, timeoutMs: 100 };
  await assert.rejects(fetchExternal(`${server.url}/large`, OPEN, LIMITS), kind('too_large'));
  await assert.rejects(fetchExternal(`${server.url}/broken`, OPEN, LIMITS), kind('socket'));
  await assert.rejects(fetchExternal(await closedAddress(), OPEN, LIMITS), kind('socket'));
  await assert.rejects(fetchExternal(`${server.url}/silent`, OPEN, short), kind('timeout'));
  await assert.rejects(fetchExternal(`${server.url}/slow`, OPEN, short), kind('timeout'));
});

test('it ends when nobody waits any more', async () => {
  const leaving = new AbortController();
  const fetched = fetchExternal(`${server.url}/silent`, OPEN, { ...LIMITS, signal: leaving.signal });
  leaving.abort(new Error('gone'));
  await assert.rejects(fetched, { message: 'gone' });
});

test('the name of the host is sent, and nothing is compressed', async () => {
  const url = new URL(server.url);
  url.hostname = 'localhost';
  const sent = JSON.parse((await fetchExternal(`${url.origin}/headers`, OPEN, LIMITS)).body.toString());
  assert.equal(sent.host, url.host);
  assert.equal(sent['accept-encoding'], 'identity');
});
