import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { anyone, exchange, type RouteServer, serveRoutes } from '../../../test/support/http-server.ts';
import { route } from '../../http/http.route.ts';
import { graphqlRoutes } from './graphql.routes.ts';
import { QueryBudget } from './limits/budget.ts';

let begun: () => void = () => {};
let ended: (asked: number) => void = () => {};
let asked = 0;

/** A route of the REST API that reads until nobody waits for it any more. */
const endless = route({
  method: 'GET',
  path: '/users/:id',
  summary: 'Read for ever',
  access: anyone,
  params: Type.Object({ id: Type.Integer() }),
  success: { status: 200, schema: Type.Object({}) },
  handler: async ({ signal }) => {
    asked += 1;
    if (asked === 4) begun();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    ended(asked);
    return {};
  },
});

let http: RouteServer;
before(async () => {
  http = await serveRoutes([...graphqlRoutes, endless]);
});
after(() => http.close());

test('a query ends with its client, and so does what it asks the REST API', async () => {
  const fields = Array.from({ length: 20 }, (_, at) => `a${at}: user(id: "gid://gitlab/User/${at}") { id }`).join(' ');
  const body = JSON.stringify({ query: `{ ${fields} }` });
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let left = 4;
  const over = new Promise<void>((resolve) => {
    ended = () => {
      left -= 1;
      if (left === 0) resolve();
    };
  });
  const address = await http.listen();
  const socket = connect(address);
  socket.write(
    `POST /api/graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await started;
  socket.destroy();
  await over;
  // A query that comes later is answered: what the first would have begun, it has.
  const later = JSON.stringify({ query: '{ __typename }' });
  const response = await exchange(
    address,
    `POST /api/graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${later.length}\r\n\r\n${later}`,
  );
  assert.match(response, /"__typename":"Query"/);
  assert.equal(asked, 4, 'of twenty look-ups none begins once the client has gone');
});

test('a budget that is used up begins nothing, and tells why', async () => {
  const gone = new AbortController();
  const budget = new QueryBudget(gone.signal);
  try {
    budget.charge(20_000, 0);
    assert.throws(() => budget.charge(1, 0), /returns more than 20000 objects/);
    await assert.rejects(
      budget.limitCall(async () => 1),
      /returns more than 20000 objects/,
    );
    assert.match(String(budget.signal.reason), /returns more than 20000 objects/);
  } finally {
    budget.dispose();
  }
});

test('a query is ended by its client, before it begins and after', async () => {
  const gone = new AbortController();
  const early = new QueryBudget(gone.signal);
  gone.abort(new Error('gone'));
  assert.throws(() => early.charge(1, 0), /gone/);
  early.dispose();
  const late = new QueryBudget(gone.signal);
  assert.ok(late.signal.aborted);
  late.dispose();
});

test('a query is ended by processor time, and by the clock where the machine is busy with others', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  for (const [name, cpuMs, clockMs, reason] of [
    ['processor', 31_000, 31_000, /takes too long/],
    ['clock', 10, 601_000, /takes too long/],
    ['neither', 10, 599_000, null],
  ] as const) {
    let processor = 0;
    let clock = 0;
    const budget = new QueryBudget(new AbortController().signal, { cpuMs: () => processor, wallMs: () => clock });
    processor = cpuMs;
    clock = clockMs;
    t.mock.timers.tick(1_000);
    assert.equal(budget.signal.aborted, reason !== null, name);
    if (reason !== null) assert.match(String(budget.signal.reason), reason);
    budget.dispose();
  }
});
