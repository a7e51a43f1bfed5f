import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('GET /version answers any signed-in user', async () => {
  const { token } = await app.make.user({ scopes: ['read_user'] });
  const body = expectStatus(await app.get('/version', { token }), 200);
  assert.match(String(body.version), /^\d+\.\d+\.\d+/);
});

test('GET /version refuses anonymous callers with 401', async () => {
  assert.deepEqual(expectStatus(await app.get('/version', { token: null }), 401), { message: '401 Unauthorized' });
});

test('GET /version left out what /metadata says: now both are one document', async () => {
  const { token } = await app.make.user({ scopes: ['read_user'] });
  const version = expectStatus(await app.get('/version', { token }), 200);
  assert.deepEqual(version, expectStatus(await app.get('/metadata', { token }), 200));
  const { enterprise, kas } = version;
  assert.equal(enterprise, true);
  assert.deepEqual(kas, { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null });
});
