import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

interface Row {
  id: number;
  membership_type: string;
  removable: boolean;
  is_last_owner: boolean;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

async function scene() {
  const owner = await app.make.user();
  const top = await app.make.group({ owner: owner.user });
  const child = await app.make.group({ parent: top });
  const project = await app.make.project({ namespace: child });
  const [below, inProject, guest, lent] = [
    await app.make.user(),
    await app.make.user(),
    await app.make.user(),
    await app.make.user(),
  ];
  await app.make.member({ group: child }, below.user, 30);
  await app.make.member({ project }, inProject.user, 40);
  await app.make.member({ group: top }, guest.user, 10);
  const invited = await app.make.group({ owner: lent.user });
  await app.deps.db
    .insertInto('group_links')
    .values({ source_type: 'project', source_id: project.id, group_id: invited.id, group_access: 20, created_at: '' })
    .execute();
  return { owner, top, child, project, below, inProject, guest, lent, path: `/groups/${top.id}/billable_members` };
}

test('GET billable_members lists everyone below who uses a seat, with the way in', async () => {
  const { path, owner, below, inProject, lent, top } = await scene();
  await app.post(`/groups/${top.id}/access_tokens`, { json: { name: 'bot', scopes: ['api'], access_level: 50 } });
  const rows = expectStatus<Row[]>(
    await app.get(path, { token: owner.token, query: { sort: 'access_level_desc' } }),
    200,
  );
  assert.deepEqual(
    rows.map((row) => [row.id, row.membership_type, row.removable, row.is_last_owner]),
    [
      [owner.user.id, 'group_member', false, true],
      // Owns the subgroup only.
      [1, 'group_member', true, false],
      [inProject.user.id, 'project_member', true, false],
      [below.user.id, 'group_member', true, false],
      [lent.user.id, 'project_invite', false, false],
    ],
  );
  const response = await app.get(path, { query: { search: below.user.username, sort: 'recent_sign_in' } });
  assert.deepEqual(
    expectStatus<Row[]>(response, 200).map(({ id }) => id),
    [below.user.id],
  );
  await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', below.user.id).execute();
  assert.equal((await app.get(path)).headers['x-total'], '4');
});

test('billable members are for owners of top-level groups', async () => {
  const { path, child, below, guest } = await scene();
  expectStatus(await app.get(path, { token: guest.token }), 403);
  expectStatus(await app.get(path, { token: null }), 401);
  expectStatus(await app.get(path, { token: (await app.make.user()).token }), 404);
  expectStatus(await app.get(`/groups/${child.id}/billable_members`), 400);
  expectStatus(await app.delete(`${path}/${below.user.id}`, { token: guest.token }), 403);
});

test('DELETE billable_members removes someone from the whole tree, but not the last owner', async () => {
  const { path, owner, below, project, child } = await scene();
  await app.make.member({ project }, below.user, 40);
  expectStatus(await app.delete(`${path}/${below.user.id}`, { token: owner.token }), 204);
  expectStatus(await app.get(`/groups/${child.id}/members/${below.user.id}`), 404);
  expectStatus(await app.get(`/projects/${project.id}/members/${below.user.id}`), 404);
  expectStatus(await app.delete(`${path}/${below.user.id}`, { token: owner.token }), 404);
  expectStatus(await app.delete(`${path}/${owner.user.id}`, { token: owner.token }), 403);
});

test('on a lower plan guests use seats too', async () => {
  const { top, guest } = await scene();
  const { config } = app.deps;
  const { plan } = config;
  config.plan = 'premium';
  try {
    const rows = expectStatus<Row[]>(await app.get(`/groups/${top.id}/billable_members`), 200);
    assert.ok(rows.some(({ id }) => id === guest.user.id));
  } finally {
    config.plan = plan;
  }
});
