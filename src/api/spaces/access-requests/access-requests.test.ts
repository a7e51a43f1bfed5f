import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

interface Body {
  id: number;
  access_level: number;
  requested_at: string;
  message?: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** An open project or group with somebody who may manage its members. */
async function open(kind: 'project' | 'group') {
  const manager = await app.make.user();
  if (kind === 'group') {
    const group = await app.make.group({ visibility: 'internal', owner: manager.user });
    return { path: `/groups/${group.id}`, manager, top: 50 };
  }
  const project = await app.make.project({ visibility: 'internal' });
  await app.make.member({ project }, manager.user, 40);
  return { path: `/projects/${project.id}`, manager, top: 40 };
}

for (const kind of ['project', 'group'] as const) {
  test(`a user asks to join a ${kind} and is approved`, async () => {
    const { path, manager } = await open(kind);
    const { user, token } = await app.make.user();
    const made = expectStatus<Body>(await app.post(`${path}/access_requests`, { token }), 201);
    assert.equal(made.id, user.id);
    const again = expectStatus<Body>(await app.post(`${path}/access_requests`, { token }), 400);
    assert.equal(again.message, 'user already exists in source');
    const list = await app.get(`${path}/access_requests`, { token: manager.token });
    assert.deepEqual(
      expectStatus<Body[]>(list, 200).map(({ id }) => id),
      [user.id],
    );
    const approve = `${path}/access_requests/${user.id}/approve`;
    expectStatus(await app.put(approve, { token }), 403);
    const member = expectStatus<Body>(await app.put(approve, { token: manager.token }), 201);
    assert.deepEqual([member.id, member.access_level], [user.id, 30]);
    assert.deepEqual(expectStatus(await app.get(`${path}/access_requests`), 200), []);
    expectStatus(await app.put(approve, { token: manager.token }), 404);
    expectStatus(await app.post(`${path}/access_requests`, { token }), 403);
  });

  test(`a request to join a ${kind} is denied by a manager or withdrawn by the user, by nobody else`, async () => {
    const { path, manager } = await open(kind);
    const [one, two, other] = [await app.make.user(), await app.make.user(), await app.make.user()];
    for (const { token } of [one, two]) expectStatus(await app.post(`${path}/access_requests`, { token }), 201);
    expectStatus(await app.delete(`${path}/access_requests/${one.user.id}`, { token: other.token }), 403);
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    expectStatus(await app.delete(`${path}/access_requests/${one.user.id}`, { token: one.token, headers: old }), 412);
    expectStatus(await app.delete(`${path}/access_requests/${one.user.id}`, { token: one.token }), 204);
    expectStatus(await app.delete(`${path}/access_requests/${two.user.id}`, { token: manager.token }), 204);
    expectStatus(await app.delete(`${path}/access_requests/${two.user.id}`, { token: manager.token }), 404);
    expectStatus(await app.get(`${path}/access_requests`, { token: other.token }), 403);
    expectStatus(await app.get(`${path}/access_requests`, { token: null }), 401);
    expectStatus(await app.post(`${path}/access_requests`, { token: null }), 401);
  });

  test(`nobody is approved above the manager's own level in a ${kind}, and a failed approval keeps the request`, async () => {
    const { path, manager, top } = await open(kind);
    const { user, token } = await app.make.user();
    expectStatus(await app.post(`${path}/access_requests`, { token }), 201);
    const approve = `${path}/access_requests/${user.id}/approve`;
    const asked = (level: number) => app.put(approve, { token: manager.token, json: { access_level: level } });
    if (top < 50) expectStatus(await asked(50), 403);
    expectStatus(await asked(33), 400);
    assert.equal(expectStatus<Body>(await asked(top), 201).access_level, top);
  });
}

test('nobody asks where requests are closed or the source is hidden', async () => {
  const { token } = await app.make.user();
  const closed = await app.make.project({ visibility: 'public', columns: { request_access_enabled: 0 } });
  expectStatus(await app.post(`/projects/${closed.id}/access_requests`, { token }), 403);
  const hidden = await app.make.group();
  expectStatus(await app.post(`/groups/${hidden.id}/access_requests`, { token }), 404);
  const readOnly = await app.make.token((await app.make.user()).user.id, ['read_api']);
  expectStatus(await app.post(`/projects/${closed.id}/access_requests`, { token: readOnly }), 403);
});
