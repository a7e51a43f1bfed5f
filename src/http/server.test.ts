import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Response } from 'light-my-request';
import { Type } from 'typebox';
import { type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { type Access, route } from './route.ts';

const anyone: Access = { description: 'Anyone', anonymous: true, params: {}, check: async () => ({}) };
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
    assert.ok([404, 414].includes(response.statusCode), String(response.statusCode));
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
