import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { exchange, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';

let http: RouteServer;
let address: { host: string; port: number };
before(async () => {
  http = await serveRoutes([], { settings: { STITHY_MAX_CONNECTIONS: '20' } });
  address = await http.listen();
});
after(() => http.close());

const ask = () => exchange(address, 'GET /-/liveness HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

test('an address with too many connections is refused with 503, and served again once some have ended', async () => {
  const idle = Array.from({ length: 15 }, () => createConnection(address));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  let response = await ask();
  while (!response.startsWith('HTTP/1.1 503')) response = await ask();
  assert.match(response, /"message":"503 Service Unavailable - too many connections"/);
  assert.match(response, /Connection: close/i);
  for (const socket of idle) socket.destroy();
  while (!(await ask()).startsWith('HTTP/1.1 200')) await pause(10);
});
