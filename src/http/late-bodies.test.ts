import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import type { TestUser } from '../../test/support/factories.ts';
import type { Project } from '../db/tables/projects.table.ts';

let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
});
after(() => app.close());

/** Sends a request whose body is completed after `act`; returns the status. */
async function late(path: string, token: string, json: object, act: () => Promise<unknown>): Promise<number> {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<IncomingMessage>();
  app.instance.server.app.server.once('request', arrive);
  const body = JSON.stringify(json);
  const headers = {
    'private-token': token,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const sent = request(`${url}/api/v4${path}`, { method: 'POST', headers });
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve).once('error', reject);
  sent.write(body.slice(0, 5));
  const received = await arrived;
  // The body is read after authorization.
  while (received.listenerCount('data') + received.listenerCount('readable') === 0) await setImmediate();
  await act();
  sent.end(body.slice(5));
  const response = await answered;
  response.resume();
  return response.statusCode!;
}

async function scene(): Promise<{ project: Project; guest: TestUser; path: string }> {
  const project = await app.make.project();
  const guest = await app.make.user();
  await app.make.member({ project }, guest.user, 10);
  return { project, guest, path: `/projects/${project.id}/issues` };
}

const issues = async (path: string) => expectStatus<unknown[]>(await app.get(path), 200).length;

test('a body that comes after its sender was removed is not acted upon', async () => {
  const { project, guest, path } = await scene();
  const remove = async () => expectStatus(await app.delete(`/projects/${project.id}/members/${guest.user.id}`), 204);
  assert.equal(await late(path, guest.token, { title: 'late' }, remove), 404);
  assert.equal(await issues(path), 0);
});

test('a body that comes after the token was revoked or its user blocked is not acted upon', async () => {
  const { guest, path } = await scene();
  const revoke = () =>
    app.deps.db.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', '=', guest.user.id).execute();
  assert.equal(await late(path, guest.token, { title: 'late' }, revoke), 401);
  const other = await scene();
  const block = async () => expectStatus(await app.post(`/users/${other.guest.user.id}/block`), 201);
  assert.equal(await late(other.path, other.guest.token, { title: 'late' }, block), 403);
  assert.deepEqual([await issues(path), await issues(other.path)], [0, 0]);
});

test('a body that comes late is acted upon when nothing of its sender has changed', async () => {
  const { guest, path } = await scene();
  const other = () => app.make.user();
  assert.equal(await late(path, guest.token, { title: 'late' }, other), 201);
  assert.equal(await late(path, guest.token, { title: 'late' }, async () => {}), 201);
  assert.equal(await issues(path), 2);
});
