import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Type } from 'typebox';
import { anyone, exchange, type RouteServer, serveRoutes } from '../../../test/support/http-server.ts';
import { route } from '../http.route.ts';
import { Upload } from '../http.schema.ts';
import type { UploadedFile } from './uploaded-file.ts';

const routes = [
  route({
    method: 'POST',
    path: '/upload',
    summary: 's',
    access: anyone,
    input: Type.Object({ file: Type.Optional(Upload()), a: Type.Optional(Type.Unsafe<unknown>({})) }),
    success: { status: 201, schema: Type.Unsafe<unknown>({}) },
    handler: async ({ input }) => {
      const { file, a } = input;
      if (file === undefined || typeof file === 'string') return { a };
      const { filename, contentType, size, path } = file satisfies UploadedFile;
      return { a, filename, contentType, size, content: await readFile(path, 'latin1') };
    },
  }),
];

const LIMIT = 200_000;
let http: RouteServer;
let address: { host: string; port: number };
before(async () => {
  http = await serveRoutes(routes, { settings: { STITHY_MAX_BODY: String(LIMIT) } });
  address = await http.listen();
});
after(() => http.close());

const field = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, filename: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/zip\r\n\r\n${content}\r\n`;
const END = '--x--\r\n';

const post = (payload: string | Buffer, contentType = 'multipart/form-data; boundary=x') =>
  http.send('POST', '/api/v4/upload', { headers: { 'content-type': contentType }, payload });

test('texts that are no UTF-8 are refused, those that are are kept to the letter', async () => {
  const [before, after] = ['--x\r\nContent-Disposition: form-data; name="a"', `\r\n${END}`];
  const send = (type: string, value: Buffer) =>
    post(Buffer.concat([Buffer.from(`${before}${type}\r\n\r\n`), value, Buffer.from(after)]));
  for (const type of [
    '',
    '\r\nContent-Type: text/plain; charset=utf-8',
    '\r\nContent-Type: text/plain; charset=latin1',
  ]) {
    for (const value of ['é€\u{1f600}\ufffd', '']) {
      const response = await send(type, Buffer.from(value));
      assert.equal(response.json<{ a: string }>().a, value, type);
    }
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const response = await send(type, Buffer.from(bytes));
      assert.equal(response.statusCode, 400, type);
      assert.match(response.json<{ message: string }>().message, /not UTF-8/);
    }
  }
  const name = Buffer.from(`${file('file', 'a\xff.zip', 'x')}${END}`, 'latin1');
  assert.equal((await post(name)).statusCode, 400);
});

/** Waits until no uploaded file is left. */
async function uploadsGone(): Promise<void> {
  const dir = join(http.app.deps.config.dataDir, 'tmp');
  for (let tries = 0; tries < 200; tries += 1) {
    const left = await readdir(dir).catch(() => []);
    if (left.length === 0) return;
    await wait(25);
  }
  assert.fail('uploaded files are left');
}

/** A request on a socket. @param length value of Content-Length */
const raw = (body: string, length = Buffer.byteLength(body, 'latin1')) =>
  Buffer.from(
    `POST /api/v4/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n${body}`,
    'latin1',
  );

test('fields are nested, files wait on disk and are gone after the answer', async () => {
  const response = await post(`${field('a[][b]', '1')}${field('a[][c]', 'ü')}${file('file', 'a.zip', 'PK\0')}${END}`);
  assert.equal(response.statusCode, 201, response.body);
  assert.deepEqual(response.json(), {
    a: [{ b: '1', c: 'ü' }],
    filename: 'a.zip',
    contentType: 'application/zip',
    size: 3,
    content: 'PK\0',
  });
  await uploadsGone();
});

test('a body that arrives with its headers is read whole', async () => {
  const content = 'y'.repeat(100_000);
  const response = await exchange(address, raw(`${file('file', 'a', content)}${field('a', 'last')}${END}`));
  assert.match(response, /^HTTP\/1\.1 201/);
  assert.match(response, /"a":"last"/);
  assert.match(response, /"size":100000/);
});

test('a body is read whose end has a bare line feed before it, and what is like an end within a file stays', async () => {
  const content = 'PK\n--x--\n';
  for (const end of ['\n--x--', '\n--x--\n', '\n--x--\r\n', '\r\n--x--\r\n']) {
    const response = await post(`${field('a', '1')}${file('file', 'a.zip', content).slice(0, -2)}${end}`);
    assert.equal(response.statusCode, 201, response.body);
    assert.equal(response.json<{ content: string }>().content, content);
  }
});

test('a file name never leads anywhere', async () => {
  const response = await post(`${file('file', '../../etc/passwd', 'x')}${END}`);
  assert.equal(response.json<{ filename: string }>().filename, 'passwd');
});

test('names like prototypes have no effect', async () => {
  await post(`${field('__proto__[x]', '1')}${field('a[__proto__][x]', '1')}${file('__proto__', 'f', 'x')}${END}`);
  assert.equal(({} as { x?: unknown }).x, undefined);
  await uploadsGone();
});

test('text fields named like the parts of a file are no file', async () => {
  const response = await post(`${field('file[path]', '/etc/hostname')}${field('file[size]', '5')}${END}`);
  assert.equal(response.statusCode, 400);
  assert.equal(response.json<{ message: string }>().message, 'file is invalid');
});

for (const [what, payload, contentType] of [
  ['no boundary', `${field('a', '1')}${END}`, 'multipart/form-data'],
  ['an empty boundary', `${field('a', '1')}${END}`, 'multipart/form-data; boundary='],
  ['no end', field('a', '1'), undefined],
  ['a file that breaks off', file('file', 'a', 'x').slice(0, -3), undefined],
  ['another boundary', `${field('a', '1')}${END}`, 'multipart/form-data; boundary=y'],
  ['nothing', '', undefined],
] as const) {
  test(`a multipart body with ${what} is 400`, async () => {
    const response = await post(payload, contentType);
    assert.equal(response.statusCode, 400, response.body);
    assert.match(response.json<{ message: string }>().message, /multipart body/);
    await uploadsGone();
  });
}

test('parts without a name are passed over', async () => {
  const nameless = '--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x\r\nContent-Type: text/plain\r\n\r\n2\r\n';
  assert.equal((await post(`${nameless}${field('a', '1')}${END}`)).statusCode, 201);
});

test('a body past the limit is 413, also when its length is not known before', async () => {
  const body = `${file('file', 'a', 'y'.repeat(LIMIT))}${END}`;
  assert.equal((await post(body)).statusCode, 413);
  const chunked = `POST /api/v4/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  assert.match(await exchange(address, chunked), /^HTTP\/1\.1 413/);
  await uploadsGone();
});

test('a client that goes away in the middle of a file leaves nothing behind', async () => {
  const request = raw(file('file', 'a', 'y'.repeat(100_000)), 190_000);
  const socket = createConnection(address, () => socket.write(request));
  const dir = join(http.app.deps.config.dataDir, 'tmp');
  for (let tries = 0; tries < 200 && (await readdir(dir).catch(() => [])).length === 0; tries += 1) await wait(25);
  assert.notDeepEqual(await readdir(dir), []);
  socket.destroy();
  await uploadsGone();
});

test('fields and files are bounded, and a body with more is not read to its end', async () => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, place) => field(`a[${place}]`, '1')).join('') + END;
  assert.equal((await post(fields(2_000))).statusCode, 201);
  const tooMany = '413 Request Entity Too Large - a multipart body has at most 2000 fields and 100 files';
  const many = await post(fields(2_101));
  assert.deepEqual([many.statusCode, many.json()], [413, { message: tooMany }]);
  const files = await post(Array.from({ length: 101 }, (_, place) => file(`f${place}`, 'x', '1')).join('') + END);
  assert.deepEqual([files.statusCode, files.json()], [413, { message: tooMany }]);
  // An endless one is answered.
  const head =
    'POST /api/v4/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 190000\r\n\r\n';
  assert.match(await exchange(address, `${head}${fields(2_600).slice(0, 150_000)}`), /^HTTP\/1\.1 413/);
});
