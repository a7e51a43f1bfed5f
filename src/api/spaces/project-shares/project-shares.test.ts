import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';

interface Body {
  id: number;
  username?: string;
  full_path?: string;
  message?: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

const ids = (list: Body[]) => list.map(({ id }) => id).sort((a, b) => a - b);

async function scene() {
  const top = await app.make.group();
  const group = await app.make.group({ parent: top });
  const project = await app.make.project({ namespace: group });
  const people = await app.make.members(project);
  const invited = await app.make.group({ owner: people.maintainer.user });
  const member = await app.make.user();
  await app.make.member({ group: invited }, member.user, 40);
  return { top, group, project, people, invited, member, path: `/projects/${project.id}` };
}

test('a share lets the members of a group in, up to its level and its last day, until it is taken back', async () => {
  const { path, project, invited, member, people } = await scene();
  const json = { group_id: invited.id, group_access: 30, expires_at: '2026-07-01' };
  expectStatus(await app.get(`${path}/members`, { token: member.token }), 404);
  const share = expectStatus<Record<string, unknown>>(
    await app.post(`${path}/share`, { token: people.maintainer.token, json }),
    201,
  );
  const { id, ...rest } = share;
  assert.ok(Number.isInteger(id));
  assert.deepEqual(rest, { project_id: project.id, ...json });
  const level = await app.get(`${path}/members/all/${member.user.id}`, { token: member.token });
  assert.equal(expectStatus<{ access_level: number }>(level, 200).access_level, 30);
  expectStatus(await app.post(`${path}/share`, { json }), 409);
  expectStatus(await app.delete(`${path}/share/${invited.id}`, { token: people.maintainer.token }), 204);
  expectStatus(await app.get(`${path}/members`, { token: member.token }), 404);
  const missing = expectStatus<Body>(await app.delete(`${path}/share/${invited.id}`), 404);
  assert.equal(missing.message, '404 Group Link Not Found');
});

test('shares are for maintainers, give no more than they have, and need a group they see', async () => {
  const { path, people, invited, top, group } = await scene();
  const share = (token: string | null, groupId: number, access = 30) =>
    app.post(`${path}/share`, { token, json: { group_id: groupId, group_access: access } });
  expectStatus(await share(null, invited.id), 401);
  expectStatus(await share(people.stranger.token, invited.id), 404);
  expectStatus(await share(people.developer.token, invited.id), 403);
  expectStatus(await share(people.maintainer.token, invited.id, 50), 403);
  const hidden = await app.make.group();
  const response = expectStatus<Body>(await share(people.maintainer.token, hidden.id), 404);
  assert.equal(response.message, '404 Group Not Found');
  expectStatus(await share(people.maintainer.token, invited.id, 31), 400);
  const past = { group_id: invited.id, group_access: 30, expires_at: '2026-01-01' };
  expectStatus(await app.post(`${path}/share`, { json: past }), 400);
  for (const above of [top, group]) {
    assert.equal(
      expectStatus<Body>(await app.post(`${path}/share`, { json: { group_id: above.id, group_access: 30 } }), 409)
        .message,
      'Project cannot be shared with the group it is in or one of its ancestors.',
    );
  }
  expectStatus(await app.post(`${path}/share`, { json: { group_id: hidden.id, group_access: 50 } }), 201);
  expectStatus(await app.delete(`${path}/share/${hidden.id}`, { token: people.maintainer.token }), 403);
  expectStatus(await app.delete(`${path}/share/${hidden.id}`, { token: people.owner.token }), 204);
});

test('groups can forbid sharing, at all or beyond their tree', async () => {
  const { path, group, top, invited } = await scene();
  const json = { group_id: invited.id, group_access: 30 };
  const set = (id: number, settings: object) =>
    app.deps.db
      .updateTable('namespaces')
      .set({ settings: JSON.stringify(settings) })
      .where('id', '=', id)
      .execute();
  await set(group.id, { share_with_group_lock: true });
  const locked = expectStatus<Body>(await app.post(`${path}/share`, { json }), 400);
  assert.equal(locked.message, 'The project sharing with group is disabled');
  await set(group.id, {});
  await set(top.id, { prevent_sharing_groups_outside_hierarchy: true });
  expectStatus(await app.post(`${path}/share`, { json }), 404);
  const sibling = await app.make.group({ parent: top });
  expectStatus(await app.post(`${path}/share`, { json: { group_id: sibling.id, group_access: 30 } }), 201);
});

test('GET groups lists the groups above, and visible shared ones on demand', async () => {
  const { path, top, group, invited, people, project } = await scene();
  await app.post(`${path}/share`, { json: { group_id: invited.id, group_access: 20 } });
  const list = async (query: Record<string, string | number | boolean>, token = people.maintainer.token) =>
    ids(expectStatus<Body[]>(await app.get(`${path}/groups`, { token, query }), 200));
  assert.deepEqual(await list({}), [top.id, group.id]);
  assert.deepEqual(await list({ with_shared: true }), [top.id, group.id, invited.id]);
  assert.deepEqual(await list({ with_shared: true, shared_min_access_level: 30 }), [top.id, group.id]);
  assert.deepEqual(await list({ with_shared: true, skip_groups: String(top.id), search: group.path }), [group.id]);
  assert.deepEqual(await list({ with_shared: true }, people.guest.token), [top.id, group.id]);
  expectStatus(await app.get(`${path}/groups`, { token: null }), 404);
  expectStatus(await app.get(`/projects/${project.id + 1_000}/groups`), 404);
});

test('GET invited_groups tells direct from inherited shares', async () => {
  const { path, top, invited, people } = await scene();
  const other = await app.make.group({ visibility: 'public' });
  await app.post(`${path}/share`, { json: { group_id: invited.id, group_access: 20 } });
  await app.post(`/groups/${top.id}/share`, { json: { group_id: other.id, group_access: 20 } });
  const list = async (query: Record<string, string | readonly string[]>, token = people.maintainer.token) =>
    ids(expectStatus<Body[]>(await app.get(`${path}/invited_groups`, { token, query }), 200));
  assert.deepEqual(await list({}), [invited.id, other.id]);
  assert.deepEqual(await list({ 'relation[]': ['direct'] }), [invited.id]);
  assert.deepEqual(await list({ relation: 'inherited' }), [other.id]);
  assert.deepEqual(await list({}, people.guest.token), [other.id]);
});

test('GET share_locations offers the groups of the caller that have no part yet', async () => {
  const { path, invited, people, top } = await scene();
  await app.make.member({ group: top }, people.maintainer.user, 40);
  const list = async () =>
    ids(expectStatus<Body[]>(await app.get(`${path}/share_locations`, { token: people.maintainer.token }), 200));
  assert.deepEqual(await list(), [invited.id]);
  await app.post(`${path}/share`, { json: { group_id: invited.id, group_access: 20 } });
  assert.deepEqual(await list(), []);
  expectStatus(await app.get(`${path}/share_locations`, { token: people.developer.token }), 403);
  const response = await app.get(`${path}/share_locations`, { query: { search: 'no such group' } });
  assert.deepEqual(expectStatus(response, 200), []);
});

test('GET users lists everyone of the project, inherited and invited ones included', async () => {
  const { path, top, invited, member, people } = await scene();
  const above = await app.make.user();
  await app.make.member({ group: top }, above.user, 20);
  await app.post(`${path}/share`, { json: { group_id: invited.id, group_access: 20 } });
  const all = expectStatus<Body[]>(await app.get(`${path}/users`, { token: people.guest.token }), 200);
  const expected = [...Object.entries(people).flatMap(([name, { user }]) => (name === 'stranger' ? [] : [user.id]))];
  assert.deepEqual(
    ids(all),
    [1, ...expected, above.user.id, member.user.id].sort((a, b) => a - b),
  );
  const query = { search: above.user.username, 'skip_users[]': ['1'] };
  assert.deepEqual(ids(expectStatus<Body[]>(await app.get(`${path}/users`, { query }), 200)), [above.user.id]);
  expectStatus(await app.get(`${path}/users`, { token: people.stranger.token }), 404);
});

test('member_role_id of a share was passed over: null is taken, a role that there is not is refused', async () => {
  const { path, group, invited } = await scene();
  const json = { group_id: invited.id, group_access: 10 };
  for (const place of [path, `/groups/${group.id}`]) {
    const refused = await app.post(`${place}/share`, { json: { ...json, member_role_id: 7 } });
    assert.equal(expectStatus<Body>(refused, 400).message, "member_role can't be blank");
    expectStatus(await app.post(`${place}/share`, { json: { ...json, member_role_id: null } }), 201);
  }
});
