import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Response } from 'light-my-request';
import { Type } from 'typebox';
import { anyone, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { route } from './http.route.ts';

const Any = Type.Unsafe<unknown>({});
const success = { status: 200, schema: Any } as const;

const routes = [
  route({
    method: 'GET',
    path: '/things/:name',
    summary: 's',
    access: anyone,
    params: Type.Object({ name: Type.String() }),
    success,
    handler: ({ params }) => params,
  }),
  route({
    method: 'DELETE',
    path: '/things/:name',
    summary: 's',
    access: anyone,
    success: { status: 204, empty: true },
    handler: () => undefined,
  }),
  route({
    method: 'GET',
    path: '/files/:path/raw/*rest',
    summary: 's',
    access: anyone,
    params: Type.Object({ path: Type.String(), rest: Type.String() }),
    success,
    handler: ({ params }) => params,
  }),
  route({
    method: 'PUT',
    path: '/things/special',
    summary: 's',
    access: anyone,
    input: Type.Object({ a: Type.Optional(Any) }),
    success,
    handler: ({ input }) => input,
  }),
  route({ method: 'GET', path: '/head', summary: 's', access: anyone, success, handler: () => ({ a: 'from GET' }) }),
  route({
    method: 'HEAD',
    path: '/head',
    summary: 's',
    access: anyone,
    success: { status: 204, empty: true },
    handler: ({ reply }) => void reply.header('X-Own', 'yes'),
  }),
  route({
    method: 'GET',
    path: '/fails/:how',
    summary: 's',
    access: anyone,
    params: Type.Object({ how: Type.String() }),
    success,
    handler: ({ params }) => {
      throw new Error(params.how);
    },
  }),
  route({ method: 'GET', path: '/old', summary: 's', access: anyone, deprecated: true, success, handler: () => ({}) }),
];

let http: RouteServer;
before(async () => {
  http = await serveRoutes(routes);
});
after(() => http.close());

const get = (url: string, headers: Record<string, string> = {}) => http.send('GET', url, { headers });
const messageOf = (response: Response) => response.json<{ message: string }>().message;

describe('paths', () => {
  for (const [url, name] of [
    ['/api/v4/things/a', 'a'],
    ['/api/v4/things/a/', 'a'],
    ['//api//v4///things/a', 'a'],
    ['/api/v4/%74hings/a', 'a'],
    ['/api/v4/things/group%2Fproject', 'group/project'],
    ['/api/v4/things/a%2Eb', 'a.b'],
    ['/api/v4/things/%E2%9C%93', '✓'],
    ['/api/v4/things/..%252fb', '..%2fb'],
    ['/api/v4/things/..%2f..%2fb', '../../b'],
    ['http://elsewhere.example/api/v4/things/a', 'a'],
    [`/api/v4/things/${'x'.repeat(8_000)}`, 'x'.repeat(8_000)],
  ] as const) {
    test(`${url.slice(0, 60)} is one thing`, async () => {
      assert.deepEqual((await get(url)).json(), { name });
    });
  }

  test('the rest of a path keeps its slashes', async () => {
    assert.deepEqual((await get('/api/v4/files/a%2Fb/raw/c/d%2Fe')).json(), { path: 'a/b', rest: 'c/d/e' });
  });

  for (const url of [
    '/',
    '/api',
    '/api/v4',
    '/api/v4/nothing',
    '/api/v4/things',
    '/api/v4/../things/a',
    '/%2fapi/v4/things/a',
    '/api/v4/things/a.json/b',
    '/api/v5/things/a',
    '/api/v4/things/a%00b',
    '/api/v4/files/%00/raw/a',
  ]) {
    test(`${url} is 404`, async () => {
      const response = await get(url);
      assert.equal(response.statusCode, 404, response.body);
      assert.equal(messageOf(response), '404 Not Found');
    });
  }

  test('an encoding that is none is 400', async () => {
    const response = await get('/api/v4/things/%zz');
    assert.equal(response.statusCode, 400);
    assert.equal(messageOf(response), '400 Bad request');
  });

  test('a path past every bound is refused', async () => {
    const response = await get(`/api/v4/things/${'x'.repeat(20_000)}`);
    assert.equal(response.statusCode, 414);
    assert.equal(response.headers['x-content-type-options'], 'nosniff');
  });

  test('the third version of the API is gone', async () => {
    const response = await get('/api/v3/projects');
    assert.equal(response.statusCode, 410);
    assert.equal(response.json<{ error: string }>().error, 'API V3 is no longer supported. Use API V4 instead.');
  });
});

describe('methods', () => {
  test('another method than the declared ones is 405 with Allow', async () => {
    const response = await http.send('PATCH', '/api/v4/things/a');
    assert.equal(response.statusCode, 405);
    assert.equal(response.headers.allow, 'DELETE, GET, HEAD, OPTIONS');
    assert.deepEqual(response.json(), { error: '405 Not Allowed', message: '405 Not Allowed' });
  });

  test('a method override is not followed', async () => {
    const headers = { 'x-http-method-override': 'DELETE', 'content-type': 'application/x-www-form-urlencoded' };
    const response = await http.send('POST', '/api/v4/things/a', { headers, payload: '_method=DELETE' });
    assert.equal(response.statusCode, 405);
  });

  test('HEAD answers like GET without the body', async () => {
    const full = await get('/api/v4/things/a');
    const head = await http.send('HEAD', '/api/v4/things/a');
    assert.equal(head.statusCode, 200);
    assert.equal(head.body, '');
    for (const name of ['content-length', 'etag', 'content-type', 'cache-control']) {
      assert.equal(head.headers[name], full.headers[name], name);
    }
  });

  test("a path's own HEAD goes before the one of GET", async () => {
    const head = await http.send('HEAD', '/api/v4/head');
    assert.equal(head.statusCode, 204);
    assert.equal(head.headers['x-own'], 'yes');
    assert.deepEqual((await get('/api/v4/head')).json(), { a: 'from GET' });
  });
});

describe('headers', () => {
  const SECURITY = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'strict-origin-when-cross-origin',
    vary: 'Origin',
  };
  for (const url of [
    '/api/v4/things/a',
    '/api/v4/nothing',
    '/api/v4/things/%zz',
    '/api/v4/fails/throw',
    '/-/liveness',
  ]) {
    test(`security headers and a request id on ${url}`, async () => {
      const { headers } = await get(url);
      for (const [name, value] of Object.entries(SECURITY)) assert.equal(headers[name], value, name);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    });
  }

  test('a request id that the client makes up is not taken over', async () => {
    const { headers } = await get('/api/v4/things/a', { 'x-request-id': 'mine' });
    assert.notEqual(headers['x-request-id'], 'mine');
  });

  test('the runtime is in seconds', async () => {
    assert.match(String((await get('/api/v4/things/a')).headers['x-runtime']), /^\d+\.\d{6}$/);
  });

  test('what is old says so', async () => {
    assert.match(String((await get('/api/v4/old')).headers.deprecation), /^@\d+$/);
  });

  test('any origin may read, without credentials', async () => {
    for (const origin of ['https://app.example', 'null']) {
      const { headers } = await get('/api/v4/things/a', { origin });
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['access-control-allow-credentials'], undefined);
      assert.match(String(headers['access-control-expose-headers']), /X-Total/);
    }
    assert.equal((await get('/api/v4/things/a')).headers['access-control-allow-origin'], undefined);
  });

  test('a preflight names the methods of the path', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-headers': 'private-token' };
    const response = await http.send('OPTIONS', '/api/v4/things/a', { headers });
    assert.equal(response.statusCode, 204);
    assert.equal(response.headers['access-control-allow-methods'], 'DELETE, GET, HEAD, OPTIONS');
    assert.equal(response.headers['access-control-allow-headers'], 'private-token');
    assert.equal((await http.send('OPTIONS', '/api/v4/nothing', { headers })).statusCode, 404);
  });
});

test('OPTIONS and 405 name the methods of that very path, not of a pattern that fits it, too', async () => {
  const allow = async (method: string, url: string, status: number) => {
    const response = await http.send(method, url);
    assert.equal(response.statusCode, status, url);
    return response.headers.allow;
  };
  for (const url of ['/api/v4/things/special', '//api/v4//things/special/', '/api/v4/things/special?a=/b']) {
    assert.equal(await allow('OPTIONS', url, 204), 'OPTIONS, PUT');
    assert.equal(await allow('PATCH', url, 405), 'OPTIONS, PUT');
  }
  assert.equal(await allow('OPTIONS', '/api/v4/things/other', 204), 'DELETE, GET, HEAD, OPTIONS');
  assert.equal(await allow('POST', '/-/liveness', 405), 'GET, HEAD, OPTIONS');
  assert.equal(await allow('POST', '/api/v4/files/a/raw/b/c/d', 405), 'GET, HEAD, OPTIONS');
});

describe('bodies', () => {
  const send = (payload: Buffer, headers: Record<string, string> = {}) =>
    http.send('PUT', '/api/v4/things/special', {
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    });
  const json = Buffer.from('{"a":"é\\ud83d\\ude00"}');

  test('that are no UTF-8 or hold half a character are refused, not altered', async () => {
    assert.deepEqual((await send(json)).json(), { a: 'é\u{1f600}' });
    for (const text of [
      '{"a":"\xff"}',
      '{"a":"\xed\xa0\x80"}',
      '{"a":"\\ud800"}',
      '{"a":["\\uDC00x"]}',
      '{"a":{"\\ud800":1}}',
    ]) {
      const response = await send(Buffer.from(text, 'latin1'));
      assert.equal(response.statusCode, 400, text);
      assert.match(messageOf(response), /UTF-8|surrogate/);
    }
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const text of ['a=\xff', 'a=%ff', 'a=%ed%a0%80']) {
      assert.equal((await send(Buffer.from(text, 'latin1'), type)).statusCode, 400, text);
    }
    assert.deepEqual((await send(Buffer.from('a=é'), type)).json(), { a: 'é' });
  });

  test('that are packed by gzip are unpacked; other encodings are 415', async () => {
    for (const encoding of ['gzip', 'x-gzip', 'GZIP, identity']) {
      assert.deepEqual((await send(gzipSync(json), { 'content-encoding': encoding })).json(), { a: 'é\u{1f600}' });
    }
    assert.deepEqual((await send(json, { 'content-encoding': 'identity' })).json(), { a: 'é\u{1f600}' });
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'nonsense']) {
      const response = await send(json, { 'content-encoding': encoding });
      assert.equal(response.statusCode, 415, encoding);
      assert.equal(response.headers['accept-encoding'], 'gzip');
      assert.match(messageOf(response), /gzip/);
    }
  });

  test('that are no gzip, or end before its end, are refused', async () => {
    for (const payload of [json, gzipSync(json).subarray(0, -4), Buffer.alloc(0)]) {
      assert.equal((await send(payload, { 'content-encoding': 'gzip' })).statusCode, 400);
    }
  });

  test('that grow beyond the limit when they are unpacked are refused, whatever they are packed in', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    const response = await send(bomb, { 'content-encoding': 'gzip' });
    assert.equal(response.statusCode, 413);
    const form = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'),
      Buffer.alloc(64 * 1024 * 1024),
    ]);
    const headers = { 'content-encoding': 'gzip', 'content-type': 'multipart/form-data; boundary=x' };
    assert.equal((await send(gzipSync(form), headers)).statusCode, 413);
  });

  test('of several parts are unpacked as well', async () => {
    const form = Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n');
    const headers = { 'content-encoding': 'gzip', 'content-type': 'multipart/form-data; boundary=x' };
    assert.deepEqual((await send(gzipSync(form), headers)).json(), { a: 'b' });
  });
});

describe('tags', () => {
  test('what the client has already is 304 without a body', async () => {
    const { etag } = (await get('/api/v4/things/a')).headers;
    assert.match(String(etag), /^W\/"[0-9a-f]{32}"$/);
    for (const known of [String(etag), '*', `"x", ${etag}`, String(etag).slice(2)]) {
      const response = await get('/api/v4/things/a', { 'if-none-match': known });
      assert.equal(response.statusCode, 304, known);
      assert.equal(response.body, '');
      assert.equal(response.headers.etag, etag);
    }
  });

  test('another tag gets the body', async () => {
    const response = await get('/api/v4/things/b', {
      'if-none-match': String((await get('/api/v4/things/a')).headers.etag),
    });
    assert.equal(response.statusCode, 200);
  });

  test('a list of very many tags is not searched', async () => {
    const { etag } = (await get('/api/v4/things/a')).headers;
    const response = await get('/api/v4/things/a', { 'if-none-match': `${'"x",'.repeat(10_000)}${etag}` });
    assert.equal(response.statusCode, 200);
  });
});
