import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Type } from 'typebox';
import { ROOT_TOKEN } from '../../test/support/app.ts';
import { anyone, exchange, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { ApiError } from '../core/core.errors.ts';
import { type Access, route } from './http.route.ts';
import { Secret } from './http.schema.ts';

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
const waiting = Promise.withResolvers<void>();
const finish = Promise.withResolvers<void>();

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
    method: 'POST',
    path: '/echo',
    summary: 's',
    access: anyone,
    input: Type.Object({ a: Type.Optional(Any), answer: Type.Optional(Secret()) }),
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
      return {};
    },
  }),
  route({
    method: 'GET',
    path: '/waits',
    summary: 's',
    access: anyone,
    success,
    handler: async () => {
      waiting.resolve();
      await finish.promise;
      return {};
    },
  }),
];

let http: RouteServer;
let address: { host: string; port: number };
before(async () => {
  http = await serveRoutes(routes);
  address = await http.listen();
});
after(() => http.close());

const head = (first: string, ...headers: string[]) =>
  `${[first, 'Host: x', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

test('an address with scheme and host is the same thing', async () => {
  assert.match(
    await exchange(address, head('GET http://elsewhere.example/api/v4/things/a HTTP/1.1')),
    /^HTTP\/1\.1 200/,
  );
});

test('a length and chunks at once are refused', async () => {
  const text = head(
    'POST /api/v4/echo HTTP/1.1',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    'Content-Type: application/json',
  );
  assert.match(await exchange(address, `${text}0\r\n\r\nGET /api/v4/things/a HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 400/);
});

test('headers past the limit are 431', async () => {
  assert.match(
    await exchange(address, head('GET /api/v4/things/a HTTP/1.1', `X: ${'x'.repeat(70_000)}`)),
    /^HTTP\/1\.1 431/,
  );
});

test('an upgrade to another protocol is not followed', async () => {
  const response = await exchange(
    address,
    head('GET /api/v4/things/a HTTP/1.1', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
  );
  assert.match(response, /^HTTP\/1\.1 200/);
});

test('a client that waits for 100-continue gets its refusal', async () => {
  const response = await exchange(
    address,
    head('POST /api/v4/closed HTTP/1.1', 'Content-Length: 2', 'Expect: 100-continue', 'Content-Type: application/json'),
  );
  assert.match(response, /HTTP\/1\.1 401/);
});

test('a client that does not wait is logged once, and counted out', async () => {
  const socket = createConnection(address, () => socket.write(head('GET /api/v4/waits HTTP/1.1')));
  await waiting.promise;
  socket.destroy();
  const lines = () =>
    http.app.logLines
      .join('')
      .split('\n')
      .filter((line) => line.includes('/api/v4/waits'));
  for (let tries = 0; tries < 200 && lines().length === 0; tries += 1) await wait(25);
  finish.resolve();
  const metrics = await http.send('GET', '/-/metrics');
  assert.match(metrics.body, /http_requests_in_flight 1\n/);
  assert.match(metrics.body, /http_requests_total\{method="GET",status="499",route="\/api\/v4\/waits"\} 1\n/);
  assert.equal(lines().length, 1);
});

test('tokens, secrets of the route and credentials of addresses are masked in the log, whoever sends them where', async () => {
  const query = `private_token=${ROOT_TOKEN}&answer=4two&import_url=https://ann:sesame@host/x&page=1`;
  await exchange(address, head(`POST /api/v4/echo?${query} HTTP/1.1`, 'content-length: 0'));
  await exchange(address, head(`GET /api/v4/nowhere?${query} HTTP/1.1`));
  await exchange(address, head(`GET http://ann:sesame@host/api/v4/nowhere?end HTTP/1.1`));
  const log = () => http.app.logLines.join('');
  for (let tries = 0; tries < 200 && !log().includes('nowhere?end'); tries += 1) await wait(25);
  const lines = log()
    .split('\n')
    .filter((line) => line.includes('page=1') || line.includes('?end'));
  assert.equal(lines.length, 3);
  for (const line of lines) assert.ok(!line.includes(ROOT_TOKEN) && !line.includes('sesame'), line);
  assert.ok(lines[0]!.includes('answer=[FILTERED]'));
});

/** Status, headers and JSON body of a raw answer. */
function parsed(response: string) {
  const [top = '', body = ''] = response.split('\r\n\r\n');
  const [first = '', ...lines] = top.split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
  );
  return { status: Number(first.split(' ')[1]), headers, json: JSON.parse(body) as { message: string } };
}

for (const [what, bytes, status] of [
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['an unknown method', head('FROB /api/v4/things/a HTTP/1.1'), 400],
  ['headers without an end of their names', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 400],
  ['a length that is no number', head('POST /api/v4/echo HTTP/1.1', 'Content-Length: x'), 400],
  ['two lengths', head('POST /api/v4/echo HTTP/1.1', 'Content-Length: 1', 'Transfer-Encoding: chunked'), 400],
  [
    'chunks that are none',
    `${head('POST /api/v4/echo HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n`,
    400,
  ],
  ['very long headers', head('GET /api/v4/things/a HTTP/1.1', `X-Long: ${'x'.repeat(70_000)}`), 431],
  ['no Host', 'GET /api/v4/things/a HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['two Hosts', 'GET /api/v4/things/a HTTP/1.1\r\nHost: x\r\nhost: x\r\nConnection: close\r\n\r\n', 400],
  ['two Hosts in HTTP/1.0', 'GET /api/v4/things/a HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n', 400],
  [
    'two Authorizations',
    'GET /api/v4/things/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n',
    400,
  ],
  [
    'two lengths',
    'POST /api/v4/things/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    400,
  ],
  [
    'a length beside chunks',
    'POST /api/v4/things/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'an expectation that nobody knows',
    head('POST /api/v4/echo HTTP/1.1', 'Expect: a-miracle', 'Content-Length: 2'),
    417,
  ],
  ['a tunnel', head('CONNECT example.org:443 HTTP/1.1'), 405],
  ['a method of WebDAV', head('PROPFIND /api/v4/things/a HTTP/1.1'), 405],
  ['bytes beyond ASCII in an address', Buffer.from(head('GET /api/v4/things/é HTTP/1.1')), 400],
  ['a trace', head('TRACE /api/v4/things/a HTTP/1.1'), 405],
] as const) {
  test(`${what} is refused in the shape of every refusal`, async () => {
    const { status: statusCode, headers, json } = parsed(await exchange(address, bytes));
    assert.equal(statusCode, status);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    assert.match(json.message, new RegExp(`^${status} `));
  });
}

test('HTTP/1.0 needs no Host', async () => {
  assert.equal(parsed(await exchange(address, 'GET /api/v4/things/a HTTP/1.0\r\n\r\n')).status, 200);
});
