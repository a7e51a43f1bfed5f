import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createConnection } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { anyone, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { route } from './http.route.ts';
import { TransferMonitor } from './transfer-monitor.ts';

const LIMITS = { bodyMs: 60_000, totalMs: 3_600_000, minRate: 1_000 };

/** A request without a connection, whose counters the test moves. */
function exchange(parsed: boolean) {
  const socket = { bytesRead: 0, bytesWritten: 0, writableLength: 0, ended: '' };
  const incoming = { socket, complete: false, paused: false, readableLength: 0, readableHighWaterMark: 65_536 };
  const outgoing = Object.assign(new EventEmitter(), {
    socket: { ...socket, destroy: () => state.ended.push('cut') },
    headersSent: false,
    writableLength: 0,
    writeHead: (status: number) => state.ended.push(String(status)),
    end: () => {},
  });
  const state = { ended: [] as string[], incoming, outgoing };
  const reply = { raw: outgoing, code: () => reply, header: () => reply, getHeaders: () => ({}), hijack: () => {} };
  const request = {
    raw: Object.assign(incoming, { isPaused: () => incoming.paused }),
    routeOptions: { config: parsed ? { spoolTexts: false } : {} },
  };
  return { ...state, request: request as unknown as FastifyRequest, reply: reply as unknown as FastifyReply };
}

function watched(parsed: boolean) {
  let now = 0;
  const watch = new TransferMonitor(LIMITS, () => now);
  const one = exchange(parsed);
  watch.add(one.request, one.reply);
  /** Advances the time in seconds, with one check a second. */
  const pass = (seconds: number, each: () => void = () => {}) => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1_000;
      each();
      watch.check();
    }
  };
  /** A check that comes seconds late. */
  const late = (seconds: number) => {
    now += (seconds + 1) * 1_000;
    watch.check();
  };
  watch.close();
  return { ...one, watch, pass, late };
}

test('a body that drips is given up, one that moves is not', () => {
  for (const [rate, ended] of [
    [100, ['408']],
    [2_000, []],
  ] as const) {
    const { watch, request, incoming, pass, ended: seen } = watched(false);
    watch.receives(request);
    pass(31, () => {
      incoming.socket.bytesRead += rate;
    });
    assert.deepEqual(seen, ended, `${rate} bytes a second`);
  }
});

test('a body that the server does not read is not slow', () => {
  const { watch, request, incoming, pass, ended } = watched(false);
  watch.receives(request);
  incoming.paused = true;
  pass(300);
  incoming.paused = false;
  incoming.readableLength = 65_536;
  pass(300);
  assert.deepEqual(ended, []);
});

test('a body that is parsed must be there in time, however well it moves', () => {
  const { watch, request, incoming, pass, ended } = watched(true);
  watch.receives(request);
  const move = () => {
    incoming.socket.bytesRead += 100_000;
  };
  pass(60, move);
  assert.deepEqual(ended, []);
  pass(1, move);
  assert.deepEqual(ended, ['408']);
});

test('a client that takes almost nothing of an answer is cut off, one that waits for the server is not', () => {
  const { outgoing, pass, ended, incoming } = watched(false);
  incoming.complete = true;
  outgoing.headersSent = true;
  pass(300);
  assert.deepEqual(ended, []);
  outgoing.writableLength = 100_000;
  pass(300, () => {
    outgoing.socket.bytesWritten += 5_000;
  });
  assert.deepEqual(ended, []);
  pass(31, () => {
    outgoing.socket.bytesWritten += 10;
  });
  assert.deepEqual(ended, ['cut']);
});

test('an answer has a total time', () => {
  const { outgoing, pass, ended, incoming } = watched(false);
  incoming.complete = true;
  outgoing.headersSent = true;
  outgoing.writableLength = 100_000;
  pass(3_601, () => {
    outgoing.socket.bytesWritten += 5_000;
  });
  assert.deepEqual(ended, ['cut']);
});

const echo = route({
  method: 'POST',
  path: '/echo',
  summary: 's',
  access: anyone,
  input: Type.Object({ a: Type.Optional(Type.String()) }),
  success: { status: 201, schema: Type.Unsafe<unknown>({}) },
  handler: ({ input }) => input,
});
const upload = route({
  method: 'PUT',
  path: '/upload',
  summary: 's',
  access: anyone,
  body: { contentType: 'application/octet-stream', description: 'Bytes.', limit: () => 100 },
  success: { status: 200, schema: Type.Unsafe<unknown>({}) },
  handler: async ({ bytes }) => {
    let size = 0;
    for await (const chunk of bytes as AsyncIterable<Buffer>) size += chunk.length;
    return { size };
  },
});
let http: RouteServer;
before(async () => {
  http = await serveRoutes([echo, upload], { settings: { STITHY_BODY_TIMEOUT: '1' } });
});
after(() => http.close());

test('a body that drips is answered with 408, and its connection closed', async () => {
  const { host, port } = await http.listen();
  const socket = createConnection({ host, port });
  let response = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    response += text;
  });
  let open = true;
  socket.on('error', () => {});
  socket.on('close', () => {
    open = false;
  });
  socket.write(
    'POST /api/v4/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a":"',
  );
  while (open) {
    socket.write('x');
    await wait(100);
  }
  assert.match(response, /^HTTP\/1.1 408 /);
  assert.match(response, /Connection: close/i);
  assert.match(response, /"message":"408 Request Timeout - [^"]+"/);
});

test('a body of bytes has the time of a stream, not that of a body which is parsed', async () => {
  const { port } = new URL(http.server.app.listeningOrigin);
  const socket = createConnection({ host: '127.0.0.1', port: Number(port) });
  let response = '';
  const closed = once(socket, 'close');
  socket.on('error', () => {});
  socket.setEncoding('latin1').on('data', (text: string) => {
    response += text;
  });
  socket.write('PUT /api/v4/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 30\r\n\r\n');
  // Checks run every second, and a parsed body is limited to one.
  for (let sent = 0; sent < 30; sent += 1) {
    await wait(100);
    socket.write('x');
  }
  await closed;
  assert.match(response, /^HTTP\/1.1 200 [\s\S]*"size":30/);
});

test('what this process missed without a processor is held against no client', () => {
  const { watch, request, incoming, pass, late, ended } = watched(true);
  watch.receives(request);
  const move = () => {
    incoming.socket.bytesRead += 2_000;
  };
  for (let time = 0; time < 5; time += 1) {
    pass(5, move);
    late(600);
  }
  pass(30, move);
  assert.deepEqual(ended, []);
  pass(1, move);
  assert.deepEqual(ended, ['408']);
});
