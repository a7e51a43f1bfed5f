import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Type } from 'typebox';
import { anyone, serveRoutes } from '../../test/support/http-server.ts';
import { route } from './http.route.ts';

test('what a request was made of goes with the next collections of young objects', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;
  const seen: WeakRef<object>[] = [];
  const look = route({
    method: 'GET',
    path: '/garbage',
    summary: 's',
    access: anyone,
    input: Type.Object({ page: Type.Optional(Type.Integer()) }),
    success: { status: 200, schema: Type.Unsafe<unknown>({}) },
    handler: (c) => ({ seen: seen.push(new WeakRef(c), new WeakRef(c.request), new WeakRef(c.reply)) }),
  });
  const served = await serveRoutes([look]);
  t.after(() => served.close());
  const { host, port } = await served.listen();
  // A bare socket, which itself retains nothing.
  const socket = createConnection({ host, port });
  t.after(() => socket.destroy());
  const ask = async () => {
    socket.write('GET /api/v4/garbage?page=1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    assert.match(response.toString(), /^HTTP\/1.1 200 /);
  };
  // A collection of old objects that goes on meanwhile would retain young ones.
  await ask();
  collect({ type: 'major' });
  for (let index = 0; index < 59; index += 1) await ask();
  const before = seen.length;
  for (let index = 0; index < 3; index += 1) {
    collect({ type: 'minor' });
    await ask();
  }
  assert.equal(before, 180);
  const left = seen.slice(0, before).filter((one) => one.deref() !== undefined).length;
  // Their connection retains the last one.
  assert.ok(left <= 9, `${left} of ${before} are left`);
});
