import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';

let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

interface Shared {
  shared_with_groups: { group_id: number; group_access_level: number; expires_at: string | null }[];
}

test('POST /groups/:id/share lets the members of a group in, up to the level and the day given', async () => {
  const group = await app.make.group();
  const invited = await app.make.group();
  const { user, token } = await app.make.user();
  await app.make.member({ group: invited }, user, 40);
  expectStatus(await app.get(`/groups/${group.id}`, { token }), 404);
  const json = { group_id: invited.id, group_access: 30, expires_at: '2026-06-20' };
  const body = expectStatus<Shared>(await app.post(`/groups/${group.id}/share`, { json }), 201);
  assert.deepEqual(body.shared_with_groups, [
    {
      group_id: invited.id,
      group_name: invited.name,
      group_full_path: invited.full_path,
      group_access_level: 30,
      expires_at: '2026-06-20',
      member_role_id: null,
    },
  ]);
  expectStatus(await app.get(`/groups/${group.id}`, { token }), 200);
  const query = { min_access_level: 30 };
  const listed = expectStatus<{ id: number }[]>(await app.get('/groups', { token, query }), 200);
  assert.deepEqual(listed.map(({ id }) => id).sort(), [group.id, invited.id].sort());
  clock.advance(6 * 86_400_000);
  expectStatus(await app.get(`/groups/${group.id}`, { token }), 404);
});

test('POST /groups/:id/share refuses', async () => {
  const { user, token } = await app.make.user();
  const group = await app.make.group({ owner: user, visibility: 'public' });
  const invited = await app.make.group({ visibility: 'public' });
  const hidden = await app.make.group();
  const send = (json: object, as: string | null = token) => app.post(`/groups/${group.id}/share`, { token: as, json });
  const json = { group_id: invited.id, group_access: 30 };
  expectStatus(await send(json, null), 401);
  expectStatus(await send(json, (await app.make.user()).token), 403);
  expectStatus(await send({ ...json, group_id: hidden.id }), 404);
  expectStatus(await send({ ...json, group_id: group.id }), 404);
  expectStatus(await send({ ...json, group_access: 31 }), 400);
  expectStatus(await send({ ...json, group_access: 60 }), 400);
  expectStatus(await send({ ...json, expires_at: '2020-01-01' }), 400);
  expectStatus(await send(json), 201);
  assert.match(String(expectStatus(await send(json), 409).message), /already been shared with this group/);
  expectStatus(await app.put(`/groups/${group.id}`, { json: { share_with_group_lock: true } }), 200);
  const another = await app.make.group({ visibility: 'public' });
  expectStatus(await send({ ...json, group_id: another.id }), 404);
});

test('a group kept inside its hierarchy is shared with groups of the same tree alone', async () => {
  const root = await app.make.group();
  const group = await app.make.group({ parent: root });
  const sibling = await app.make.group({ parent: root });
  const outside = await app.make.group();
  const json = { prevent_sharing_groups_outside_hierarchy: true };
  expectStatus(await app.put(`/groups/${group.id}`, { json }), 400);
  expectStatus(await app.put(`/groups/${root.id}`, { json }), 200);
  const share = (id: number) => app.post(`/groups/${group.id}/share`, { json: { group_id: id, group_access: 10 } });
  expectStatus(await share(outside.id), 404);
  expectStatus(await share(sibling.id), 201);
});

test('DELETE /groups/:id/share/:group_id takes the share back', async () => {
  const group = await app.make.group();
  const invited = await app.make.group();
  const json = { group_id: invited.id, group_access: 30 };
  expectStatus(await app.post(`/groups/${group.id}/share`, { json }), 201);
  const path = `/groups/${group.id}/share/${invited.id}`;
  expectStatus(await app.delete(path, { token: (await app.make.user()).token }), 404);
  expectStatus(await app.delete(path), 204);
  expectStatus(await app.delete(path), 404);
});

test('GET /groups/:id/invited_groups and /groups/shared list both ends, as far as the caller may see', async () => {
  const root = await app.make.group({ visibility: 'public' });
  const group = await app.make.group({ parent: root, visibility: 'public' });
  const direct = await app.make.group({ visibility: 'public' });
  const inherited = await app.make.group();
  for (const [host, guest] of [
    [group, direct],
    [root, inherited],
  ] as const) {
    const json = { group_id: guest.id, group_access: 20 };
    expectStatus(await app.post(`/groups/${host.id}/share`, { json }), 201);
  }
  const ids = async (path: string, token?: null, query = {}) => {
    const options = { query, ...(token === null ? { token } : {}) };
    return expectStatus<{ id: number }[]>(await app.get(path, options), 200)
      .map(({ id }) => id)
      .sort((a, b) => a - b);
  };
  const invitedPath = `/groups/${group.id}/invited_groups`;
  assert.deepEqual(await ids(invitedPath), [direct.id, inherited.id]);
  assert.deepEqual(await ids(invitedPath, null), [direct.id]);
  assert.deepEqual(await ids(invitedPath, undefined, { relation: 'inherited' }), [inherited.id]);
  assert.deepEqual(await ids(`/groups/${root.id}/invited_groups`, undefined, { relation: 'inherited' }), []);
  assert.deepEqual(await ids(`/groups/${direct.id}/groups/shared`, null), [group.id]);
  assert.deepEqual(await ids(`/groups/${inherited.id}/groups/shared`), [root.id]);
  const detail = expectStatus<Shared>(await app.get(`/groups/${root.id}`, { token: null }), 200);
  assert.deepEqual(detail.shared_with_groups, []);
});
