import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface GroupAnswer {
  id: number;
  full_path: string;
  [key: string]: unknown;
}

const fullPathOf = async (id: number) => expectStatus<GroupAnswer>(await app.get(`/groups/${id}`), 200).full_path;
const projectPathOf = async (id: number) =>
  (await app.deps.db.selectFrom('projects').select('full_path').where('id', '=', id).executeTakeFirstOrThrow())
    .full_path;

test('PUT /groups/:id with a path moves all below, and the old addresses lead to the new ones', async () => {
  const group = await app.make.group({ path: 'old' });
  const lookalike = await app.make.group({ path: 'older' });
  const child = await app.make.group({ path: 'child', parent: group });
  const project = await app.make.project({ namespace: child, path: 'p' });
  expectStatus(await app.put(`/groups/${group.id}`, { json: { path: 'new' } }), 200);
  assert.equal(await fullPathOf(child.id), 'new/child');
  assert.equal(await projectPathOf(project.id), 'new/child/p');
  assert.equal(await fullPathOf(lookalike.id), 'older');
  const moved = await app.get('/groups/old%2Fchild?with_projects=false');
  assert.equal(moved.statusCode, 301);
  assert.equal(moved.headers.location, `${app.deps.externalUrl()}/api/v4/groups/new%2Fchild?with_projects=false`);
  expectStatus(await app.put('/groups/old', { json: { name: 'x' } }), 405);
  expectStatus(await app.get('/groups/old', { token: null }), 404);
  const { token } = await app.make.user();
  expectStatus(await app.get('/groups/old', { token }), 404);
});

test('a path that is used again leads nowhere else', async () => {
  const group = await app.make.group({ path: 'first' });
  expectStatus(await app.put(`/groups/${group.id}`, { json: { path: 'second' } }), 200);
  assert.equal((await app.get('/groups/first')).statusCode, 301);
  const other = await app.make.group({ path: 'First' });
  assert.equal(expectStatus<GroupAnswer>(await app.get('/groups/first'), 200).id, other.id);
  expectStatus(await app.put(`/groups/${other.id}`, { json: { path: 'third' } }), 200);
  const location = String((await app.get('/groups/first')).headers.location);
  assert.match(location, /third$/);
  expectStatus(await app.put(`/groups/${group.id}`, { json: { path: 'first' } }), 200);
  assert.equal(expectStatus<GroupAnswer>(await app.get('/groups/first'), 200).id, group.id);
});

test("PUT /groups/:id: the case of a path may change, another one's path may not be taken", async () => {
  const group = await app.make.group({ path: 'casing' });
  expectStatus(await app.put(`/groups/${group.id}`, { json: { path: 'Casing' } }), 200);
  assert.equal(await fullPathOf(group.id), 'Casing');
  await app.make.user({ username: 'someone' });
  const body = expectStatus(await app.put(`/groups/${group.id}`, { json: { path: 'SomeOne' } }), 400);
  assert.deepEqual([body.message, body.errors], ['path has already been taken', { path: ['has already been taken'] }]);
});

test('POST /groups/:id/transfer moves a group with all below it and lowers visibility', async () => {
  const target = await app.make.group({ path: 'target', visibility: 'private' });
  const group = await app.make.group({ path: 'mover', visibility: 'public' });
  const child = await app.make.group({ path: 'child', parent: group, visibility: 'public' });
  const project = await app.make.project({ namespace: child, path: 'p', visibility: 'public' });
  const json = { group_id: target.id };
  const body = expectStatus<GroupAnswer>(await app.post(`/groups/${group.id}/transfer`, { json }), 201);
  assert.deepEqual(
    [body.full_path, body.parent_id, body.visibility, body.full_name],
    ['target/mover', target.id, 'private', 'target / mover'],
  );
  assert.equal(await projectPathOf(project.id), 'target/mover/child/p');
  assert.equal(expectStatus<GroupAnswer>(await app.get(`/groups/${child.id}`), 200).visibility, 'private');
  const rows = await app.deps.db
    .selectFrom('namespaces')
    .select(['lineage', 'id'])
    .where('id', 'in', [group.id, child.id])
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ lineage }) => lineage),
    [`/${target.id}/${group.id}/`, `/${target.id}/${group.id}/${child.id}/`],
  );
  expectStatus(await app.post(`/groups/${group.id}/transfer`), 201);
  assert.equal(await projectPathOf(project.id), 'mover/child/p');
  assert.equal((await app.get('/groups/target%2Fmover')).statusCode, 301);
});

test('POST /groups/:id/transfer refuses what cannot be', async () => {
  const group = await app.make.group({ path: 'tr' });
  const child = await app.make.group({ path: 'child', parent: group });
  const other = await app.make.group({ path: 'other' });
  await app.make.group({ path: 'tr', parent: other });
  const refusal = async (id: number, groupId?: number) =>
    expectStatus(
      await app.post(`/groups/${id}/transfer`, { json: groupId === undefined ? {} : { group_id: groupId } }),
      400,
    ).message;
  assert.equal(await refusal(group.id), 'Transfer failed: Group is already a root group.');
  assert.equal(await refusal(child.id, group.id), 'Transfer failed: Group is already associated to the parent group.');
  assert.equal(await refusal(group.id, child.id), 'Transfer failed: Cannot transfer group to one of its subgroup.');
  assert.equal(await refusal(group.id, group.id), 'Transfer failed: Cannot transfer group to one of its subgroup.');
  assert.equal(
    await refusal(group.id, other.id),
    'Transfer failed: The parent group already has a subgroup or a project with the same path.',
  );
  let deep = await app.make.group();
  for (let depth = 0; depth < 19; depth += 1) deep = await app.make.group({ parent: deep });
  assert.equal(await refusal(group.id, deep.id), 'Transfer failed: Parent has too deep level of nesting');
  expectStatus(await app.post(`/groups/${child.id}/transfer`, { json: { group_id: deep.id } }), 201);
});

test('POST /groups/:id/transfer: who may', async () => {
  const { user, token } = await app.make.user();
  const group = await app.make.group({ owner: user, visibility: 'public' });
  const target = await app.make.group({ visibility: 'public' });
  const hidden = await app.make.group();
  const send = (groupId: number) => app.post(`/groups/${group.id}/transfer`, { token, json: { group_id: groupId } });
  assert.equal(expectStatus(await send(target.id), 400).message, "Transfer failed: You don't have enough permissions.");
  expectStatus(await send(hidden.id), 404);
  const stranger = await app.make.user();
  const path = `/groups/${group.id}/transfer`;
  expectStatus(await app.post(path, { token: stranger.token, json: { group_id: target.id } }), 403);
  await app.make.member({ group: target }, user, 40);
  expectStatus(await send(target.id), 201);
});

test('GET /groups/:id/transfer_locations lists where the caller may move it', async () => {
  const { user, token } = await app.make.user();
  const parent = await app.make.group({ owner: user });
  const group = await app.make.group({ owner: user, parent });
  await app.make.group({ owner: user, parent: group });
  const owned = await app.make.group({ path: 'loc-owned', owner: user });
  const maintained = await app.make.group({ path: 'loc-maintained' });
  await app.make.member({ group: maintained }, user, 40);
  const strict = await app.make.group({ path: 'loc-strict' });
  await app.make.member({ group: strict }, user, 40);
  expectStatus(await app.put(`/groups/${strict.id}`, { json: { subgroup_creation_level: 'owner' } }), 200);
  const developed = await app.make.group({ path: 'loc-developed' });
  await app.make.member({ group: developed }, user, 30);
  const listed = expectStatus<GroupAnswer[]>(await app.get(`/groups/${group.id}/transfer_locations`, { token }), 200);
  assert.deepEqual(
    listed.map(({ id }) => id).sort((a, b) => a - b),
    [owned.id, maintained.id],
  );
  const query = { search: 'MAINT' };
  const unlockedGroup = expectStatus<GroupAnswer[]>(
    await app.get(`/groups/${group.id}/transfer_locations`, { token, query }),
    200,
  );
  assert.deepEqual(
    unlockedGroup.map(({ id }) => id),
    [maintained.id],
  );
  const stranger = await app.make.user();
  expectStatus(await app.get(`/groups/${group.id}/transfer_locations`, { token: stranger.token }), 404);
});

test('subgroups created while their parent is renamed have the new path', async () => {
  const group = await app.make.group({ path: 'race' });
  const [renamed, ...created] = await Promise.all([
    app.put(`/groups/${group.id}`, { json: { path: 'race-2' } }),
    ...['a', 'b', 'c'].map((path) => app.post('/groups', { json: { name: path, path, parent_id: group.id } })),
  ]);
  expectStatus(renamed!, 200);
  for (const response of created) {
    const { id } = expectStatus<GroupAnswer>(response, 201);
    assert.match(await fullPathOf(id), /^race-2\/[abc]$/);
  }
});
