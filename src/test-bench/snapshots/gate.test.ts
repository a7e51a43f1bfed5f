import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { Route } from '../../http/http.route.ts';
import { BenchRequest, BenchResponse } from '../bench-messages.ts';
import { Gate } from './gate.ts';

const requestOf = (method: string, url: string) => {
  const request = new BenchRequest(new Socket());
  Object.assign(request, { method, url });
  return { request, response: new BenchResponse(request) };
};
const routeOf = (handle: () => Promise<unknown>) =>
  ({ options: { method: 'POST', path: '/projects' }, handle }) as unknown as Route;
const contextOf = (raw: IncomingMessage) => ({ request: { raw } }) as unknown as Parameters<Route['handle']>[0];

test('a request whose client has left before it was handled is refused once the data has been replaced', async () => {
  const gate = new Gate();
  let handled = 0;
  const { handle } = gate.watched(
    routeOf(async () => {
      handled += 1;
    }),
  );
  const before = requestOf('POST', '/api/v4/projects');
  let passed = 0;
  gate.pass(before.request, before.response, () => {
    passed += 1;
  });
  assert.deepEqual([passed, gate.isBusy], [1, true]);
  await handle(contextOf(before.request));
  before.response.emit('close');
  assert.equal(gate.isBusy, false);
  gate.seal();
  await assert.rejects(async () => handle(contextOf(before.request)), { status: 503 });
  const after = requestOf('POST', '/api/v4/projects');
  gate.pass(after.request, after.response, () => {});
  await handle(contextOf(after.request));
  assert.equal(handled, 2);
});

test('what handles a request is under way until it has ended, whether or not its client has left', async () => {
  const gate = new Gate();
  const work = Promise.withResolvers<void>();
  const { handle } = gate.watched(routeOf(() => work.promise));
  const { request, response } = requestOf('POST', '/api/v4/projects');
  gate.pass(request, response, () => {});
  const handling = handle(contextOf(request));
  response.emit('close');
  assert.equal(gate.isBusy, true);
  work.resolve();
  await handling;
  assert.equal(gate.isBusy, false);
});
