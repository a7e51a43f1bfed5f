import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { timestamp } from '../../../core/clock.ts';
import type { ProtectedBranchJson } from './protected-branches.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;
const pathOf = (project: { id: number }) => `/projects/${project.id}/protected_branches`;

/** A deploy key of the project. */
async function deployKey(projectId: number, canPush: 0 | 1): Promise<number> {
  const now = timestamp(app.deps.clock);
  const { id } = await app.deps.db
    .insertInto('deploy_keys')
    .values({
      title: 'Robot',
      key: `ssh-ed25519 ${projectId}-${canPush}`,
      fingerprint: `${projectId}-${canPush}`,
      user_id: 1,
      created_at: now,
      expires_at: null,
      last_used_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.deps.db
    .insertInto('deploy_key_projects')
    .values({ deploy_key_id: id, project_id: projectId, can_push: canPush, created_at: now })
    .execute();
  return id;
}

const levels = (list: ProtectedBranchJson['push_access_levels']) =>
  list.map(({ access_level, access_level_description }) => [access_level, access_level_description]);

test('POST protects for Maintainers where nothing else is said', async () => {
  const project = await app.make.project();
  const body = expectStatus<ProtectedBranchJson>(await app.post(pathOf(project), { json: { name: 'release/*' } }), 201);
  const { id, push_access_levels, merge_access_levels, unprotect_access_levels, ...rest } = body;
  assert.deepEqual(rest, {
    name: 'release/*',
    allow_force_push: false,
    code_owner_approval_required: false,
    inherited: false,
  });
  assert.ok(id > 0);
  for (const list of [push_access_levels, merge_access_levels, unprotect_access_levels]) {
    assert.deepEqual(levels(list), [[40, 'Maintainers']]);
  }
  assert.deepEqual(Object.keys(push_access_levels[0]!).sort(), [
    'access_level',
    'access_level_description',
    'deploy_key_id',
    'group_id',
    'id',
    'user_id',
  ]);
  assert.equal('deploy_key_id' in merge_access_levels[0]!, false);
});

test('POST takes levels, flags, users, groups and deploy keys, as JSON and as a form', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  const key = await deployKey(project.id, 1);
  const json = {
    name: 'main',
    push_access_level: 0,
    merge_access_level: 30,
    unprotect_access_level: 60,
    allow_force_push: true,
    code_owner_approval_required: true,
    allowed_to_push: [{ user_id: user.id }, { group_id: group.id }, { deploy_key_id: key }],
  };
  const body = expectStatus<ProtectedBranchJson>(await app.post(pathOf(project), { json }), 201);
  assert.deepEqual(levels(body.push_access_levels), [
    [0, 'No one'],
    [null, user.name],
    [null, group.name],
    [40, 'Robot'],
  ]);
  assert.deepEqual(
    body.push_access_levels.map(({ user_id, group_id, deploy_key_id }) => [user_id, group_id, deploy_key_id]),
    [
      [null, null, null],
      [user.id, null, null],
      [null, group.id, null],
      [null, null, key],
    ],
  );
  assert.deepEqual(levels(body.merge_access_levels), [[30, 'Developers + Maintainers']]);
  assert.deepEqual(levels(body.unprotect_access_levels), [[60, 'Instance admins']]);
  assert.deepEqual([body.allow_force_push, body.code_owner_approval_required], [true, true]);
  const form = `name=form&allowed_to_push[][access_level]=30&allowed_to_merge[][user_id]=${user.id}`;
  const second = expectStatus<ProtectedBranchJson>(await app.post(pathOf(project), { form }), 201);
  assert.deepEqual(levels(second.push_access_levels), [[30, 'Developers + Maintainers']]);
  assert.deepEqual(levels(second.merge_access_levels), [[null, user.name]]);
});

test('POST refuses a taken name, a blank one, odd levels and whoever has no access', async () => {
  const project = await app.make.project();
  const other = await app.make.project();
  const { user: stranger } = await app.make.user();
  const group = await app.make.group();
  const foreignKey = await deployKey(other.id, 1);
  const readKey = await deployKey(project.id, 0);
  const post = async (status: number, json: object) =>
    message(expectStatus(await app.post(pathOf(project), { json }), status));
  assert.equal(await post(400, {}), 'name is missing');
  assert.equal(await post(422, { name: ' ' }), "Name can't be blank");
  expectStatus(await app.post(pathOf(project), { json: { name: 'main' } }), 201);
  assert.equal(await post(409, { name: 'main' }), "Protected branch 'main' already exists");
  const odd = await post(400, { name: 'x', push_access_level: 20 });
  assert.equal(odd, 'push_access_level does not have a valid value');
  await post(400, { name: 'x', unprotect_access_level: 0 });
  await post(400, { name: 'x', allowed_to_unprotect: [{ access_level: 0 }] });
  assert.match(await post(400, { name: 'x', allowed_to_push: [{}] }), /exactly one parameter must be provided$/);
  assert.match(await post(400, { name: 'x', allowed_to_push: [{ user_id: 1, group_id: 1 }] }), /mutually exclusive$/);
  await post(400, { name: 'x', allowed_to_merge: [{ deploy_key_id: foreignKey }] });
  const outsiders = { user_id: stranger.id, group_id: group.id, deploy_key_id: foreignKey };
  const texts = {
    user_id: 'Push access levels user is not a member of the project',
    group_id: 'Push access levels group does not have access to the project',
    deploy_key_id: 'Push access levels deploy key is not enabled for this project',
  };
  for (const [name, id] of Object.entries(outsiders)) {
    const text = await post(422, { name: 'x', allowed_to_push: [{ [name]: id }] });
    assert.equal(text, texts[name as keyof typeof texts]);
  }
  assert.equal(await post(422, { name: 'x', allowed_to_push: [{ deploy_key_id: readKey }] }), texts.deploy_key_id);
  assert.equal(await post(422, { name: 'x', allowed_to_push: [{ user_id: 987_654 }] }), texts.user_id);
  assert.equal(
    await post(422, { name: 'x', push_access_level: 40, allowed_to_push: [{ access_level: 40 }] }),
    'Push access levels access level has already been taken',
  );
  const list = expectStatus<ProtectedBranchJson[]>(await app.get(pathOf(project)), 200);
  assert.deepEqual(
    list.map(({ name }) => name),
    ['main'],
  );
});

test('two POSTs of one name at once: one protects, the other is told so', async () => {
  const project = await app.make.project();
  const post = () => app.post(pathOf(project), { json: { name: 'main' } });
  const answers = await Promise.all([post(), post()]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409]);
});

test('GET lists with search and pages, and gives one by its pattern', async () => {
  const project = await app.make.project();
  for (const name of ['main', 'release/*', 'Release-x', '100%']) await app.post(pathOf(project), { json: { name } });
  const names = async (query: Record<string, string>) => {
    const response = await app.get(pathOf(project), { query });
    const list = expectStatus<ProtectedBranchJson[]>(response, 200);
    return [list.map(({ name }) => name), response.headers['x-total']];
  };
  assert.deepEqual(await names({}), [['main', 'release/*', 'Release-x', '100%'], '4']);
  assert.deepEqual(await names({ search: 'RELEASE' }), [['release/*', 'Release-x'], '2']);
  assert.deepEqual(await names({ search: '%' }), [['100%'], '1']);
  assert.deepEqual(await names({ per_page: '3', page: '2' }), [['100%'], '4']);
  const one = await app.get(`${pathOf(project)}/${encodeURIComponent('release/*')}`);
  assert.equal(expectStatus<ProtectedBranchJson>(one, 200).name, 'release/*');
  assert.equal(message(expectStatus(await app.get(`${pathOf(project)}/release%2F1`), 404)), '404 Not found');
});

test('PATCH changes flags and levels, and leaves the rest', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  const path = `${pathOf(project)}/main`;
  const made = expectStatus<ProtectedBranchJson>(
    await app.post(pathOf(project), { json: { name: 'main', allowed_to_push: [{ access_level: 40 }] } }),
    201,
  );
  const patch = async (json: object) => expectStatus<ProtectedBranchJson>(await app.patch(path, { json }), 200);
  assert.equal((await patch({ allow_force_push: true })).allow_force_push, true);
  assert.equal((await patch({ code_owner_approval_required: true })).allow_force_push, true);
  const added = await patch({ allowed_to_push: [{ user_id: user.id }] });
  assert.deepEqual(levels(added.push_access_levels), [
    [40, 'Maintainers'],
    [null, user.name],
  ]);
  const [role, person] = added.push_access_levels;
  assert.equal(role!.id, made.push_access_levels[0]!.id);
  const changed = await patch({ allowed_to_push: [{ id: role!.id, access_level: 30 }] });
  assert.deepEqual(levels(changed.push_access_levels)[0], [30, 'Developers + Maintainers']);
  const removed = await patch({ allowed_to_push: [{ id: person!.id, _destroy: true }] });
  assert.deepEqual(levels(removed.push_access_levels), [[30, 'Developers + Maintainers']]);
  assert.deepEqual(levels((await patch({ unprotect_access_level: 60 })).unprotect_access_levels), [
    [60, 'Instance admins'],
  ]);
  assert.deepEqual(levels((await patch({})).merge_access_levels), [[40, 'Maintainers']]);
});

test('PATCH refuses what it cannot do, and then changes nothing', async () => {
  const project = await app.make.project();
  const path = `${pathOf(project)}/main`;
  await app.post(pathOf(project), { json: { name: 'main' } });
  const other = expectStatus<ProtectedBranchJson>(await app.post(pathOf(project), { json: { name: 'other' } }), 201);
  const { user: stranger } = await app.make.user();
  const before = expectStatus(await app.get(path), 200);
  const patch = async (status: number, json: object) => message(expectStatus(await app.patch(path, { json }), status));
  assert.equal(await patch(400, { allow_force_push: null }), 'allow_force_push is empty');
  assert.equal(await patch(400, { allow_force_push: '' }), 'allow_force_push is empty');
  const twice = { allow_force_push: true, allowed_to_push: [{ access_level: 40 }] };
  assert.equal(await patch(422, twice), 'Push access levels access level has already been taken');
  await patch(422, { allowed_to_merge: [{ user_id: stranger.id }] });
  await patch(404, { allowed_to_push: [{ id: other.push_access_levels[0]!.id, _destroy: true }] });
  assert.deepEqual(expectStatus(await app.get(path), 200), before);
  expectStatus(await app.patch(`${pathOf(project)}/none`, { json: {} }), 404);
});

test('DELETE takes the protection away, unless it has changed since', async () => {
  const project = await app.make.project();
  await app.post(pathOf(project), { json: { name: 'main' } });
  const path = `${pathOf(project)}/main`;
  expectStatus(await app.delete(path, { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }), 412);
  expectStatus(await app.delete(path), 204);
  expectStatus(await app.delete(path), 404);
  const rows = await app.deps.db
    .selectFrom('protected_ref_levels')
    .innerJoin('protected_refs', 'protected_refs.id', 'protected_ref_levels.protected_ref_id')
    .select('protected_ref_levels.id')
    .where('protected_refs.project_id', '=', project.id)
    .execute();
  assert.deepEqual(rows, []);
});

test('only those of the unprotect levels change a protection or take it away', async () => {
  const project = await app.make.project();
  const { maintainer, owner } = await app.make.members(project);
  const path = `${pathOf(project)}/main`;
  const json = { name: 'main', allowed_to_unprotect: [{ user_id: owner.user.id }] };
  expectStatus(await app.post(pathOf(project), { token: maintainer.token, json }), 201);
  expectStatus(await app.delete(path, { token: maintainer.token }), 403);
  expectStatus(await app.patch(path, { token: maintainer.token, json: { allow_force_push: true } }), 403);
  expectStatus(await app.patch(path, { token: owner.token, json: { allow_force_push: true } }), 200);
  expectStatus(await app.delete(path, { token: owner.token }), 204);
});

test('protected branches need Maintainers', async () => {
  const project = await app.make.project({ visibility: 'public' });
  await app.post(pathOf(project), { json: { name: 'main' } });
  const path = `${pathOf(project)}/main`;
  const { stranger, guest, reporter, developer, maintainer, owner } = await app.make.members(project);
  const json = { name: 'new' };
  for (const token of [null, stranger.token, guest.token, reporter.token, developer.token]) {
    const status = token === null ? 401 : 403;
    for (const response of [
      await app.get(pathOf(project), { token }),
      await app.get(path, { token }),
      await app.post(pathOf(project), { token, json }),
      await app.patch(path, { token, json }),
      await app.delete(path, { token }),
    ]) {
      expectStatus(response, status);
    }
  }
  const readOnly = await app.make.token(maintainer.user.id, ['read_api']);
  expectStatus(await app.get(path, { token: readOnly }), 200);
  expectStatus(await app.post(pathOf(project), { token: readOnly, json }), 403);
  for (const { token } of [maintainer, owner]) {
    expectStatus(await app.post(pathOf(project), { token, json }), 201);
    expectStatus(await app.delete(`${pathOf(project)}/new`, { token }), 204);
  }
  const hidden = await app.make.project();
  expectStatus(await app.get(pathOf(hidden), { token: stranger.token }), 404);
});
