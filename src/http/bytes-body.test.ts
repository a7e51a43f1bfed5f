import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { exchange, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { ANONYMOUS } from '../access/caller.ts';
import { forbidden } from '../core/core.errors.ts';
import { basic } from './credential-locations.ts';
import type { Credentials } from './http.credentials.ts';
import { type Access, route } from './http.route.ts';
import { openApiDocument } from './openapi/openapi.document.ts';

let reads = 0;
/** Admits all callers, with the body limit given in the path. */
const room: Access<{ maxBytes: number }> = {
  description: 'Whoever knows the room',
  anonymous: true,
  params: { room: Type.String() },
  check: async ({ params }) => {
    if (params.room === 'closed') throw forbidden();
    return { maxBytes: Number(params.room) };
  },
};
const named: Credentials = {
  methods: [
    {
      name: 'basic',
      location: basic,
      description: 'A name and its secret.',
      kinds: [
        async (_deps, { username, secret }) =>
          `${username} ${secret}` === 'a b' ? { ...ANONYMOUS, admin: true } : undefined,
      ],
    },
  ],
};
const TYPE = 'application/vnd.things+json';

const routes = [
  route({
    method: 'PUT',
    path: '/rooms/:room',
    summary: 'Fill a room',
    access: room,
    input: Type.Object({ name: Type.Optional(Type.String()) }),
    body: { contentType: 'application/gzip', description: 'An archive.', limit: ({ maxBytes }) => maxBytes },
    success: { status: 200, schema: Type.Object({}) },
    handler: async ({ bytes, input }) => {
      reads += 1;
      const hash = createHash('sha1');
      let size = 0;
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        hash.update(chunk);
        size += chunk.length;
      }
      return { size, sha1: hash.digest('hex'), name: input.name ?? null };
    },
  }),
  route({
    method: 'POST',
    path: '/things',
    summary: 'Make a thing',
    access: { ...room, params: {}, check: async () => ({}) },
    credentials: named,
    mediaType: TYPE,
    tag: 'Things',
    address: '/elsewhere/things',
    root: true,
    input: Type.Object({ name: Type.String() }),
    success: { status: 201, schema: Type.Object({}) },
    handler: ({ caller, input }) => ({ name: input.name, admin: caller.admin }),
  }),
];

let server: RouteServer;
let address: Awaited<ReturnType<RouteServer['listen']>>;
before(async () => {
  server = await serveRoutes(routes);
  address = await server.listen();
});
after(() => server.close());

const fill = (path: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
  server.send('PUT', `/api/v4/rooms/${path}`, { payload, headers });
const sha1 = (text: string | Buffer) => createHash('sha1').update(text).digest('hex');

describe('a body of bytes', () => {
  test('reaches the handler as it was sent, of whatever type, and parameters stand in the query string', async () => {
    const json = '{"name": "in the body"}';
    const multipart = '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nin it\r\n--x--\r\n';
    for (const [type, payload] of [
      ['application/gzip', gzipSync('packed')],
      ['application/octet-stream', Buffer.from([0, 255, 10])],
      ['application/json', json],
      ['application/x-www-form-urlencoded', 'name=x'],
      ['multipart/form-data; boundary=x', multipart],
      ['text/plain', 'x'],
      [undefined, 'without a type'],
    ] as const) {
      const response = await fill('1000?name=n', payload, type === undefined ? {} : { 'content-type': type });
      assert.equal(response.statusCode, 200, `of type ${type}`);
      assert.deepEqual(response.json(), { size: payload.length, sha1: sha1(payload), name: 'n' }, `of type ${type}`);
    }
    const empty = await server.send('PUT', '/api/v4/rooms/5');
    assert.deepEqual(empty.json(), { size: 0, sha1: sha1(''), name: null });
  });

  test('is held to the limit that its access decides: before it is read where it says its length, else while it is', async () => {
    assert.equal((await fill('10', 'x'.repeat(10))).statusCode, 200);
    const before = reads;
    const announced = await fill('10', 'x'.repeat(11));
    assert.deepEqual([announced.statusCode, announced.headers.connection, reads], [413, 'close', before]);
    const head = 'PUT /api/v4/rooms/10 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const counted = await exchange(address, `${head}8\r\nxxxxxxxx\r\n8\r\nxxxxxxxx\r\n0\r\n\r\n`);
    assert.match(counted, /^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*"message":"413 Request Entity Too Large"/i);
    assert.equal(reads, before + 1);
  });

  test('is asked for by 100 Continue only where it will be read', async () => {
    const ask = (path: string, length: number) =>
      exchange(
        address,
        `PUT /api/v4/rooms/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(path === '5' && length === 5 ? 5 : 0)}`,
      );
    const before = reads;
    assert.match(await ask('closed', 5), /^HTTP\/1\.1 403 /);
    assert.match(await ask('5', 6), /^HTTP\/1\.1 413 /);
    assert.equal(reads, before);
    assert.match(await ask('5', 5), /^HTTP\/1\.1 100 Continue\r\n[\s\S]*HTTP\/1\.1 200 /);
  });

  test('is not read at all where access is refused', async () => {
    const before = reads;
    assert.equal((await fill('closed', 'x')).statusCode, 403);
    assert.equal(reads, before);
  });
});

describe('JSON of a media type of its own', () => {
  const make = (type: string, payload: string, headers: Record<string, string> = {}) =>
    server.send('POST', '/things', { payload, headers: { 'content-type': type, ...headers } });

  test('is taken and given, also for refusals, and plain JSON is taken as well', async () => {
    for (const type of [TYPE, `${TYPE}; charset=utf-8`, TYPE.toUpperCase(), 'application/json']) {
      const response = await make(type, '{"name": "n"}', { authorization: 'Basic YTpi' });
      assert.deepEqual([response.statusCode, response.headers['content-type']], [201, TYPE], type);
      assert.deepEqual(response.json(), { name: 'n', admin: true });
    }
    const refused = await make(TYPE, '{}');
    assert.deepEqual([refused.statusCode, refused.headers['content-type']], [400, TYPE]);
    assert.match(refused.json<{ message: string }>().message, /name is missing/);
    assert.equal((await make(TYPE, '{')).statusCode, 400);
    assert.equal((await make('application/vnd.other+json', '{}')).statusCode, 415);
    assert.equal((await make('application/octet-stream', '{}')).statusCode, 415);
  });

  test('takes no credentials but those that are declared', async () => {
    const response = await make(TYPE, '{"name": "n"}', { 'private-token': 'glpat-unknown' });
    assert.deepEqual(response.json(), { name: 'n', admin: false });
  });
});

test('the document says all of it', () => {
  const { paths, tags } = JSON.parse(JSON.stringify(openApiDocument(routes, 'https://forge.example'))) as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
    tags: unknown;
  };
  const put = paths['/api/v4/rooms/{room}']!.put!;
  assert.deepEqual(put.requestBody, {
    description: 'An archive.',
    required: true,
    content: { 'application/gzip': { schema: {} } },
  });
  assert.deepEqual(
    (put.parameters as { name: string; in: string }[]).map((each) => `${each.in} ${each.name}`),
    ['path room', 'query name'],
  );
  const post = paths['/elsewhere/things']!.post!;
  assert.deepEqual(post.security, [{}, { basic: [] }]);
  assert.deepEqual(post.tags, ['Things']);
  assert.deepEqual(tags, [{ name: 'Rooms' }, { name: 'Things' }]);
  assert.deepEqual(Object.keys((post.requestBody as { content: object }).content), [TYPE]);
  const responses = post.responses as Record<string, { content: object }>;
  assert.deepEqual(
    ['201', '400'].map((status) => Object.keys(responses[status]!.content)),
    [[TYPE], [TYPE]],
  );
});
