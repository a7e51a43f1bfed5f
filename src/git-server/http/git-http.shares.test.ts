import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { addressKey } from '../../core/fair-slots.ts';
import { acquireSlot } from '../../git/process/index.ts';

const SHARE = 16;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('clones of one address that take all its places leave those of others free', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const url = `/${project.full_path}.git/info/refs?service=git-upload-pack`;
  const { app: server } = app.instance.server;
  const share = `${app.deps.start.prefix}${addressKey('127.0.0.1')}`;
  const slow = Array.from({ length: SHARE }, () => acquireSlot('transport', share, undefined));
  const places = await Promise.all(slow);
  let served = false;
  const anonymous = server.inject({ url }).then((answer) => {
    served = true;
    return answer;
  });
  const authorization = `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}`;
  assert.equal((await server.inject({ url, headers: { authorization } })).statusCode, 200);
  assert.equal((await server.inject({ url, remoteAddress: '10.0.0.9' })).statusCode, 200);
  assert.equal(served, false);
  for (const leave of places) leave();
  assert.equal((await anonymous).statusCode, 200);
});
