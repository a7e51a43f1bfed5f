import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Response } from 'light-my-request';
import { Type } from 'typebox';
import { ROOT_TOKEN } from '../../test/support/app.ts';
import { anyone, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { ApiError } from '../core/core.errors.ts';
import { GitError } from '../git/common/index.ts';
import { type Access, route } from './http.route.ts';

const refusing: Access = {
  description: 'No one',
  anonymous: false,
  params: {},
  check: async () => {
    throw new ApiError(401, '401 Unauthorized');
  },
};
const Any = Type.Unsafe<unknown>({});
const success = { status: 200, schema: Any } as const;
const SECRET = '/var/secret/path of select * from users';
let bodiesRead = 0;

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
    path: '/query',
    summary: 's',
    access: anyone,
    input: Type.Object({ q: Type.Optional(Type.String()), n: Type.Optional(Type.Integer()) }),
    success,
    handler: ({ input }) => input,
  }),
  route({
    method: 'POST',
    path: '/echo',
    summary: 's',
    access: anyone,
    input: Type.Object({ a: Type.Optional(Any) }),
    success: { status: 201, schema: Any },
    handler: ({ input }) => input,
  }),
  route({
    method: 'POST',
    path: '/closed',
    summary: 's',
    access: refusing,
    input: Type.Object({}),
    success: { status: 201, schema: Any },
    handler: () => {
      bodiesRead += 1;
      return {};
    },
  }),
  route({
    method: 'GET',
    path: '/fails/:how',
    summary: 's',
    access: anyone,
    params: Type.Object({ how: Type.String() }),
    success,
    handler: ({ params }) => fail(params.how),
  }),
];

function fail(how: string): never {
  if (how === 'throw') throw new Error(SECRET);
  if (how === 'status') throw Object.assign(new Error(SECRET), { statusCode: 418 });
  if (how === 'text') throw SECRET;
  if (how === 'git') throw new GitError('failed', SECRET);
  throw new GitError('timeout', SECRET);
}

let http: RouteServer;
before(async () => {
  http = await serveRoutes(routes);
});
after(() => http.close());

const get = (url: string, headers: Record<string, string> = {}) => http.send('GET', url, { headers });
const messageOf = (response: Response) => response.json<{ message: string }>().message;

describe('errors', () => {
  for (const [how, status] of [
    ['throw', 500],
    ['text', 500],
    ['git', 500],
    ['status', 418],
    ['slow', 503],
  ] as const) {
    test(`an error (${how}) tells the client nothing of the inside`, async () => {
      const response = await get(`/api/v4/fails/${how}`);
      assert.equal(response.statusCode, status);
      assert.doesNotMatch(response.body, /secret|select|stack|node_modules|\.ts/);
      assert.ok(messageOf(response).length > 0);
    });
  }

  test('an unexpected error is logged with the id that the client got', async () => {
    const response = await get('/api/v4/fails/throw');
    const line = http.app.logLines
      .join('')
      .split('\n')
      .find((text) => text.includes(SECRET) && text.includes(String(response.headers['x-request-id'])));
    assert.ok(line !== undefined);
  });

  for (const [query, message] of [
    ['n=x', 'n is invalid'],
    ['n[]=1', 'n is invalid'],
    ['q[a]=1', 'q is invalid'],
    ['q=1&q[a]=1', 'expected a hash for parameter q'],
    ['q=%zz', 'invalid %-encoding'],
    ['q=%00', 'the query string contains a null byte'],
  ] as const) {
    test(`the query ${query} is 400`, async () => {
      const response = await get(`/api/v4/query?${query}`);
      assert.equal(response.statusCode, 400);
      assert.deepEqual(response.json(), { error: message, message });
    });
  }

  test('very many parameters are 400', async () => {
    assert.equal((await get(`/api/v4/query?${'a&'.repeat(20_001)}`)).statusCode, 400);
  });
});

describe('bodies', () => {
  const post = (contentType: string, payload: string, url = '/api/v4/echo') =>
    http.send('POST', url, { headers: { 'content-type': contentType }, payload });

  for (const [contentType, payload] of [
    ['application/json', '{"a":"1"}'],
    ['application/json; charset=utf-8', '{"a":"1"}'],
    ['application/x-www-form-urlencoded', 'a=1'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'],
  ] as const) {
    test(`${contentType} is read`, async () => {
      const response = await post(contentType, payload);
      assert.equal(response.statusCode, 201, response.body);
      assert.deepEqual(response.json(), { a: '1' });
    });
  }

  test('the query string serves as well, and the body wins', async () => {
    assert.deepEqual((await http.send('POST', '/api/v4/echo?a=2')).json(), { a: '2' });
    assert.deepEqual((await post('application/json', '{"a":"1"}', '/api/v4/echo?a=2')).json(), { a: '1' });
  });

  for (const contentType of ['text/plain', 'application/xml', 'application/jsonx', 'application/json/x']) {
    test(`${contentType} is 415`, async () => {
      const response = await post(contentType, '{"a":"1"}');
      assert.equal(response.statusCode, 415);
      assert.equal(messageOf(response), '415 Unsupported Media Type');
    });
  }

  for (const contentType of [
    'application/json\t',
    ' application/json',
    'application/json;;junk',
    'application/json\tx',
  ]) {
    test(`${JSON.stringify(contentType)} is never read without being checked`, async () => {
      const response = await post(contentType, '{"a":"1","__proto__":{"b":1}}');
      assert.ok([201, 400, 415].includes(response.statusCode), String(response.statusCode));
      if (response.statusCode === 201) assert.deepEqual(response.json(), { a: '1' });
    });
  }

  for (const payload of ['{"a":', '[1]', '"x"', `{"a":${'['.repeat(100_000)}`]) {
    test(`malformed JSON (${payload.slice(0, 10)}) is 400`, async () => {
      const response = await post('application/json', payload);
      assert.equal(response.statusCode, 400);
      assert.deepEqual(response.json(), { error: 'Invalid json', message: 'Invalid json' });
    });
  }

  for (const contentType of ['application/vnd.other', 'text/plain', 'text', '*/*']) {
    test(`${contentType} is no reason to refuse a request without a body`, async () => {
      const headers = { 'content-type': contentType };
      assert.equal((await http.send('DELETE', '/api/v4/things/a', { headers })).statusCode, 204);
      const echoed = await http.send('POST', '/api/v4/echo?a=1', { headers: { ...headers, 'content-length': '0' } });
      assert.deepEqual([echoed.statusCode, echoed.json()], [201, { a: '1' }]);
      const response = await http.send('DELETE', '/api/v4/things/a', { headers, payload: 'x' });
      assert.equal(response.statusCode, 415);
    });
  }

  test('an empty JSON body stands for no parameters', async () => {
    assert.equal((await post('application/json', '')).statusCode, 201);
  });

  test('a body past the limit is 413', async () => {
    const payload = JSON.stringify({ a: 'x'.repeat(3 * 1024 * 1024) });
    const response = await post('application/json', payload);
    assert.equal(response.statusCode, 413);
    assert.equal(messageOf(response), '413 Request Entity Too Large');
  });

  test('keys and values of a body are bounded, fewer of them for whoever says nothing of who they are', async () => {
    const list = (values: number) => JSON.stringify({ a: Array.from({ length: values }, () => 0) });
    const object = (keys: number) =>
      JSON.stringify({ a: Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, 1])) });
    const send = (payload: string, known: boolean) =>
      http.send('POST', '/api/v4/echo', {
        headers: { 'content-type': 'application/json', ...(known ? { 'private-token': ROOT_TOKEN } : {}) },
        payload,
      });
    for (const [payload, known, status] of [
      [list(19_900), false, 201],
      [list(20_001), false, 413],
      [list(20_001), true, 201],
      [list(100_001), true, 413],
      [object(150_000), false, 413],
      [object(5_001), true, 413],
    ] as const) {
      assert.equal((await send(payload, known)).statusCode, status, `${payload.length} characters, ${known}`);
    }
  });

  test('the body of a caller who is not let in is never read', async () => {
    for (const url of ['/api/v4/closed', '/api/v4/closed/', '/api/v4/%63losed']) {
      const response = await post('application/json', '{"a":', url);
      assert.equal(response.statusCode, 401, url);
    }
    assert.equal((await post('application/json', '{"a":', '/api/v4/closed.json')).statusCode, 404);
    assert.equal(bodiesRead, 0);
  });

  test('keys named like prototypes have no effect', async () => {
    for (const [contentType, payload] of [
      ['application/json', '{"a":{"__proto__":{"x":1}},"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}'],
      ['application/x-www-form-urlencoded', 'a[__proto__][x]=1&__proto__[x]=1&constructor[prototype][x]=1'],
    ] as const) {
      assert.equal((await post(contentType, payload)).statusCode, 201);
      assert.equal(({} as { x?: unknown }).x, undefined);
    }
  });
});
