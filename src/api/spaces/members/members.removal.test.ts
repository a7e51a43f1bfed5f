import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('the last owner of a group stays; with another owner, here or above, they may go', async () => {
  const { group, owner, at } = await staffedGroup(app);
  const path = `/groups/${group.id}/members/${owner.user.id}`;
  expectStatus(await app.delete(path, { token: owner.token }), 403);
  expectStatus(await app.delete(path), 403);
  expectStatus(await app.put(path, { json: { access_level: 40 } }), 403);
  const second = await at(50);
  await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', second.user.id).execute();
  expectStatus(await app.delete(path), 403);
  await app.deps.db.updateTable('users').set({ state: 'active' }).where('id', '=', second.user.id).execute();
  expectStatus(await app.put(path, { json: { access_level: 40 } }), 200);
  const child = await app.make.group({ parent: group, owner: owner.user });
  expectStatus(await app.delete(`/groups/${child.id}/members/${owner.user.id}`), 204);
});

test('two owners who remove each other at once leave one', async () => {
  const { group, owner, at } = await staffedGroup(app);
  const other = await at(50);
  const answers = await Promise.all([
    app.delete(`/groups/${group.id}/members/${other.user.id}`, { token: owner.token }),
    app.delete(`/groups/${group.id}/members/${owner.user.id}`, { token: other.token }),
  ]);
  // The other is refused as the last owner, or not let in any more when the first was quicker than their access check.
  const statuses = answers.map(({ statusCode }) => statusCode).sort();
  assert.equal(statuses[0], 204);
  assert.ok([403, 404].includes(statuses[1]!), String(statuses));
  const left = expectStatus<{ access_level: number }[]>(await app.get(`/groups/${group.id}/members`), 200);
  assert.equal(left.filter((member) => member.access_level === 50).length, 1);
});

test('everyone removes themselves, nobody without rights another; the owner of a personal project stays', async () => {
  const owner = await app.make.user();
  const project = await app.make.project({ owner: owner.user });
  const { guest, developer, stranger, maintainer } = await app.make.members(project);
  const path = `/projects/${project.id}/members`;
  expectStatus(await app.delete(`${path}/${guest.user.id}`, { token: developer.token }), 403);
  expectStatus(await app.delete(`${path}/${guest.user.id}`, { token: stranger.token }), 404);
  expectStatus(await app.delete(`${path}/${guest.user.id}`, { token: null }), 401);
  expectStatus(await app.delete(`${path}/${guest.user.id}`, { token: guest.token }), 204);
  expectStatus(await app.delete(`${path}/${guest.user.id}`, { token: maintainer.token }), 404);
  expectStatus(await app.delete(`${path}/${owner.user.id}`, { token: owner.token }), 403);
  expectStatus(await app.put(`${path}/${owner.user.id}`, { json: { access_level: 40 } }), 403);
  const old = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
  expectStatus(await app.delete(`${path}/${developer.user.id}`, { headers: old }), 412);
});

test('DELETE of a group member ends their memberships below, unless they shall stay', async () => {
  const { group, developer } = await staffedGroup(app);
  const child = await app.make.group({ parent: group });
  const project = await app.make.project({ namespace: child });
  const elsewhere = await app.make.project();
  const join = async () => {
    await app.make.member({ group: child }, developer.user, 30);
    await app.make.member({ project }, developer.user, 40);
  };
  await join();
  await app.make.member({ project: elsewhere }, developer.user, 30);
  const of = async (path: string) => (await app.get(`${path}/members/${developer.user.id}`)).statusCode;
  expectStatus(await app.delete(`/groups/${group.id}/members/${developer.user.id}?skip_subresources=true`), 204);
  assert.deepEqual([await of(`/groups/${child.id}`), await of(`/projects/${project.id}`)], [200, 200]);
  await app.make.member({ group }, developer.user, 30);
  expectStatus(await app.delete(`/groups/${group.id}/members/${developer.user.id}`), 204);
  assert.deepEqual([await of(`/groups/${child.id}`), await of(`/projects/${project.id}`)], [404, 404]);
  assert.equal(await of(`/projects/${elsewhere.id}`), 200);
});
