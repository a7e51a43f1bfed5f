import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { ROOT_TOKEN } from '../../test/support/app.ts';
import { type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { forbidden } from '../core/core.errors.ts';
import { LongPolls } from '../core/long-polls.ts';
import { type Access, route } from './http.route.ts';

let open = true;
let awaited: string | undefined;
let looks = 0;
let ended = 0;
const whileOpen: Access = {
  description: 'Whoever comes while it is open',
  anonymous: true,
  params: {},
  check: async () => {
    if (!open) throw forbidden();
    return {};
  },
};
const poll = route({
  method: 'POST',
  path: '/poll',
  summary: 'Wait for something',
  access: whileOpen,
  input: Type.Object({ ms: Type.Integer() }),
  success: { status: 200, schema: Type.Object({}) },
  handler: async (c) => {
    const response = await c.waitFor('things', c.input.ms, async () => {
      looks += 1;
      return awaited;
    });
    ended += 1;
    return { answer: response ?? null };
  },
});

let server: RouteServer;
let address: { host: string; port: number };
const LIMITS = { total: 3, perKey: 2 };
before(async () => {
  server = await serveRoutes([poll]);
  address = await server.listen();
});
after(() => server.close());
beforeEach(() => {
  server.app.deps.longPolls = new LongPolls(LIMITS);
  [open, awaited, looks, ended] = [true, undefined, 0, 0];
});

const HOUR = 3_600_000;
/** Sends a poll; returns the request and its answer. */
function ask(ms = HOUR, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const sent: ClientRequest = request({
    ...address,
    path: '/api/v4/poll',
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.once('error', reject).once('response', async (response: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString('utf8') });
  });
  sent.end(JSON.stringify({ ms }));
  return { sent, answer: promise };
}
const until = async (holds: () => boolean) => {
  while (!holds()) await setImmediate();
};
const nothing = { status: 200, body: '{"answer":null}' };

test('what is there is answered at once, and what comes later when it is said', async () => {
  awaited = 'now';
  assert.deepEqual(await ask().answer, { status: 200, body: '{"answer":"now"}' });
  awaited = undefined;
  const { answer: response } = ask();
  await until(() => looks === 2);
  server.app.deps.longPolls.wake('others');
  server.app.deps.longPolls.wake('things');
  await until(() => looks === 3);
  awaited = 'later';
  server.app.deps.longPolls.wake('things');
  assert.deepEqual(await response, { status: 200, body: '{"answer":"later"}' });
  assert.equal(looks, 4);
});

test('what happens while it is looked is not missed', async () => {
  const room = new LongPolls(LIMITS);
  let first = true;
  const look = async () => {
    if (!first) return 'seen';
    first = false;
    room.wake('things');
    return undefined;
  };
  const signal = new AbortController().signal;
  assert.equal(await room.wait({ topic: 'things', key: 'a', ms: HOUR, signal, poll: look }), 'seen');
});

test('a wait ends with its time', async () => {
  assert.deepEqual(await ask(1).answer, nothing);
});

test('who loses their rights while they wait gets nothing', async () => {
  const { answer: response } = ask();
  await until(() => looks === 1);
  open = false;
  awaited = 'secret';
  server.app.deps.longPolls.wake('things');
  assert.equal((await response).status, 403);
  assert.equal(looks, 1);
});

test('those who find no place are answered at once, and one caller takes no more than their share', async () => {
  const token = { 'private-token': ROOT_TOKEN };
  const waiting = [ask(), ask()];
  await until(() => looks === 2);
  assert.deepEqual(await ask().answer, nothing);
  const third = ask(HOUR, token);
  await until(() => looks === 4);
  assert.deepEqual(await ask(HOUR, token).answer, nothing);
  awaited = 'for all';
  server.app.deps.longPolls.wake('things');
  for (const { answer: response } of [...waiting, third]) assert.equal((await response).body, '{"answer":"for all"}');
  awaited = undefined;
  const again = [ask(), ask()];
  await until(() => looks === 10);
  server.app.deps.longPolls.close();
  for (const { answer: response } of again) assert.deepEqual(await response, nothing);
});

test('a wait ends when its client goes away', async () => {
  const { sent, answer: response } = ask();
  await until(() => looks === 1);
  sent.destroy();
  await assert.rejects(response);
  await until(() => ended === 1);
  assert.equal(looks, 1);
});

test('a server that ends sends home who waits', async () => {
  const { answer: response } = ask();
  await until(() => looks === 1);
  const drained = server.server.drain();
  assert.deepEqual(await response, nothing);
  await drained;
  assert.deepEqual(await ask().answer, nothing);
});
