import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { enqueueMail } from '../../mail/send-mail.ts';

const IDLE = '/-/bench/idle';
let app: TestApp;
let token: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  ({ token } = await app.make.user());
});
after(() => app.close());

test('it answers when nothing is due or running, and with 408 if that is not in time', async () => {
  await app.drain();
  assert.deepEqual(expectStatus(await app.get(IDLE), 200), { idle: true });
  await enqueueMail(app.deps.db, app.deps, { to: 'a@example.org', subject: 'One', text: 'x' });
  assert.match((await app.get(IDLE, { query: { timeout: 0.05 } })).body, /has not ended within 0\.05 seconds/);
  const waiting = app.get(IDLE);
  await app.drain();
  expectStatus(await waiting, 200);
});

test('what makes no sense is refused, and only the administrator waits', async () => {
  for (const query of ['time=1', 'timeout=long', 'timeout=1000'])
    assert.equal((await app.get(`${IDLE}?${query}`)).statusCode, 400, query);
  expectStatus(await app.get(IDLE, { token: null }), 401);
  expectStatus(await app.get(IDLE, { token }), 403);
});
