import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { payloadsOf, type SentPayloads, sentPayloadsOf } from '../../../../test/support/payloads.ts';
import { sampleEvent } from './sample.ts';

type Payload = Record<string, unknown>;

let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const AT = { created_at: '2026-06-15T12:00:00Z', updated_at: '2026-06-15T12:00:00Z' };
const ROOT_OWNER = { name: 'Administrator', email: '[REDACTED]' };

/** What system hooks are told whatever their flags say. */
const always = ({ system }: SentPayloads): Payload[] =>
  system.filter(({ trigger }) => trigger === 'always').map((e) => e.payload);
const names = (sent: SentPayloads) => always(sent).map(({ event_name }) => event_name);

test('projects are told as they are made, changed, renamed, transferred and destroyed', async () => {
  const group = await app.make.group();
  let id = 0;
  const sent = await sentPayloadsOf(app, async () => {
    id = expectStatus<{ id: number }>(
      await app.post('/projects', { json: { path: 'first', name: 'First', visibility: 'internal' } }),
      201,
    ).id;
    expectStatus(await app.put(`/projects/${id}`, { json: { description: 'More' } }), 200);
    expectStatus(await app.put(`/projects/${id}`, { json: { path: 'second' } }), 200);
    expectStatus(await app.put(`/projects/${id}/transfer`, { json: { namespace: group.id } }), 200);
  });
  assert.deepEqual(names(sent), ['project_create', 'project_update', 'project_rename', 'project_transfer']);
  const [created, , renamed, transferred] = always(sent);
  assert.deepEqual(created, {
    event_name: 'project_create',
    ...AT,
    name: 'First',
    path: 'first',
    path_with_namespace: 'root/first',
    project_id: id,
    project_namespace_id: created!.project_namespace_id,
    owner_name: 'Administrator',
    owner_email: '[REDACTED]',
    owners: [ROOT_OWNER],
    project_visibility: 'internal',
  });
  assert.deepEqual([renamed!.path_with_namespace, renamed!.old_path_with_namespace], ['root/second', 'root/first']);
  assert.deepEqual(
    [transferred!.path_with_namespace, transferred!.old_path_with_namespace, transferred!.owners],
    [`${group.full_path}/second`, 'root/second', [ROOT_OWNER]],
  );
  assert.deepEqual([transferred!.owner_name, transferred!.owner_email], [group.name, '']);
  assert.deepEqual(
    payloadsOf(sent, 'project').map(({ event_name }) => event_name),
    ['project_create'],
  );
});

test('hooks of a group are told of projects that are made and destroyed in it', async () => {
  const group = await app.make.group();
  let id = 0;
  const sent = await sentPayloadsOf(app, async () => {
    const json = { path: 'app', namespace_id: group.id };
    id = expectStatus<{ id: number }>(await app.post('/projects', { json }), 201).id;
    expectStatus(await app.delete(`/projects/${id}`), 202);
    await app.drain();
  });
  const messages = sent.hooks.filter(({ trigger }) => trigger === 'project');
  assert.deepEqual(
    messages.map(({ header, projectId, groupId, payload }) => [header, projectId, groupId, payload.event_name]),
    [
      ['Project Hook', null, group.id, 'project_create'],
      ['Project Hook', null, group.id, 'project_destroy'],
    ],
  );
  assert.deepEqual(messages[0]!.payload, {
    event_name: 'project_create',
    ...AT,
    name: 'app',
    path: 'app',
    path_with_namespace: `${group.full_path}/app`,
    project_id: id,
    project_namespace_id: group.id,
    owners: [ROOT_OWNER],
    project_visibility: 'private',
  });
});

test('groups are told as they are made, renamed and destroyed, subgroups to the hooks of the groups above too', async () => {
  const parent = await app.make.group();
  let id = 0;
  const sent = await sentPayloadsOf(app, async () => {
    const json = { name: 'Sub', path: 'sub', parent_id: parent.id };
    id = expectStatus<{ id: number }>(await app.post('/groups', { json }), 201).id;
    expectStatus(await app.put(`/groups/${id}`, { json: { path: 'below' } }), 200);
    expectStatus(await app.delete(`/groups/${id}`), 202);
    await app.drain();
  });
  const groups = always(sent).filter(({ event_name }) => String(event_name).startsWith('group_'));
  assert.deepEqual(groups[0], {
    ...AT,
    event_name: 'group_create',
    name: 'Sub',
    path: 'sub',
    full_path: `${parent.full_path}/sub`,
    group_id: id,
  });
  assert.deepEqual(
    [groups[1]!.event_name, groups[1]!.path, groups[1]!.old_path, groups[1]!.old_full_path],
    ['group_rename', 'below', 'sub', `${parent.full_path}/sub`],
  );
  assert.equal(groups.at(-1)!.event_name, 'group_destroy');
  const messages = sent.hooks.filter(({ trigger }) => trigger === 'subgroup');
  assert.deepEqual(
    messages.map(({ groupId, payload }) => [groupId, payload.event_name]),
    [
      [parent.id, 'subgroup_create'],
      [parent.id, 'subgroup_destroy'],
    ],
  );
  assert.deepEqual(messages[0]!.payload, {
    ...AT,
    event_name: 'subgroup_create',
    name: 'Sub',
    path: 'sub',
    full_path: `${parent.full_path}/sub`,
    group_id: id,
    parent_group_id: parent.id,
    parent_name: parent.name,
    parent_path: parent.path,
    parent_full_path: parent.full_path,
  });
  assert.deepEqual(payloadsOf(await sentPayloadsOf(app, () => app.make.group()), 'subgroup'), []);
});

test('members of groups are told as they come, change and go, and who asks to become one', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const { user, token } = await app.make.user();
  const members = `/groups/${group.id}/members`;
  const requests = `/groups/${group.id}/access_requests`;
  const sent = await sentPayloadsOf(app, async () => {
    const json = { user_id: user.id, access_level: 10, expires_at: '2030-01-02' };
    expectStatus(await app.post(members, { json }), 201);
    expectStatus(await app.put(`${members}/${user.id}`, { json: { access_level: 30 } }), 200);
    expectStatus(await app.delete(`${members}/${user.id}`), 204);
    expectStatus(await app.post(requests, { token }), 201);
    expectStatus(await app.delete(`${requests}/${user.id}`), 204);
    expectStatus(await app.post(requests, { token }), 201);
    expectStatus(await app.delete(`${requests}/${user.id}`, { token }), 204);
  });
  assert.deepEqual(
    payloadsOf(sent, 'member').map(({ event_name, group_access }) => [event_name, group_access]),
    [
      ['user_add_to_group', 'Guest'],
      ['user_update_for_group', 'Developer'],
      ['user_remove_from_group', 'Developer'],
      ['user_access_request_to_group', 'Developer'],
      ['user_access_request_denied_for_group', 'Developer'],
      ['user_access_request_to_group', 'Developer'],
    ],
  );
  const shown = {
    ...AT,
    group_name: group.name,
    group_path: group.path,
    group_id: group.id,
    user_username: user.username,
    user_name: user.name,
    user_email: user.email,
    user_id: user.id,
    group_access: 'Guest',
    group_plan: null,
    expires_at: '2030-01-02T00:00:00Z',
    event_name: 'user_add_to_group',
  };
  assert.deepEqual(sent.hooks[0], {
    trigger: 'member',
    header: 'Member Hook',
    projectId: null,
    groupId: group.id,
    payload: shown,
  });
  const { group_plan: _, expires_at: __, ...ofSystem } = shown;
  assert.deepEqual(always(sent)[0], ofSystem);
  assert.deepEqual(names(sent).slice(3), [
    'user_access_request_to_group',
    'user_access_request_revoked_for_group',
    'user_access_request_to_group',
    'user_access_request_revoked_for_group',
  ]);
});

test('members of projects are told to system hooks', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { user, token } = await app.make.user();
  const members = `/projects/${project.id}/members`;
  const requests = `/projects/${project.id}/access_requests`;
  const sent = await sentPayloadsOf(app, async () => {
    expectStatus(await app.post(members, { json: { user_id: user.id, access_level: 40 } }), 201);
    expectStatus(await app.put(`${members}/${user.id}`, { json: { access_level: 30 } }), 200);
    expectStatus(await app.delete(`${members}/${user.id}`), 204);
    expectStatus(await app.post(requests, { token }), 201);
    expectStatus(await app.delete(`${requests}/${user.id}`), 204);
  });
  assert.deepEqual(sent.hooks, []);
  assert.deepEqual(names(sent), [
    'user_add_to_team',
    'user_update_for_team',
    'user_remove_from_team',
    'user_access_request_to_project',
    'user_access_request_revoked_for_project',
  ]);
  assert.deepEqual(always(sent)[0], {
    ...AT,
    event_name: 'user_add_to_team',
    access_level: 'Maintainer',
    project_id: project.id,
    project_name: project.name,
    project_path: project.path,
    project_path_with_namespace: project.full_path,
    user_username: user.username,
    user_name: user.name,
    user_email: user.email,
    user_id: user.id,
    project_visibility: 'public',
  });
});

test('users and their keys are told to system hooks', async () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDa52hdAkE28rsrE1XVPwt5BcOWMVmRsRVXDTRyIzKla';
  let id = 0;
  let keyId = 0;
  const sent = await sentPayloadsOf(app, async () => {
    const json = { username: 'ada', name: 'Ada', email: 'ada@example.org', password: 'a long secret word' };
    id = expectStatus<{ id: number }>(await app.post('/users', { json: { ...json, skip_confirmation: true } }), 201).id;
    const made = await app.post('/user/keys', { json: { title: 'Mine', key } });
    keyId = expectStatus<{ id: number }>(made, 201).id;
    expectStatus(await app.delete(`/user/keys/${keyId}`), 204);
    expectStatus(await app.put(`/users/${id}`, { json: { username: 'lovelace' } }), 200);
    expectStatus(await app.post(`/users/${id}/block`), 201);
    const body = { grant_type: 'password', username: 'lovelace', password: json.password };
    await app.post('/oauth/token', { token: null, json: body });
    expectStatus(await app.delete(`/users/${id}`), 204);
    await app.drain();
  });
  assert.deepEqual(names(sent), [
    'user_create',
    'key_create',
    'key_destroy',
    'user_rename',
    'user_failed_login',
    'user_destroy',
  ]);
  const [created, added, , renamed, refused, destroyed] = always(sent);
  const ada = { ...AT, name: 'Ada', email: 'ada@example.org', user_id: id };
  assert.deepEqual(created, { event_name: 'user_create', ...ada, username: 'ada' });
  assert.deepEqual(added, { event_name: 'key_create', ...AT, username: 'root', key: added!.key, id: keyId });
  assert.match(String(added!.key), /^ssh-ed25519 /);
  assert.deepEqual([refused!.state, refused!.user_id, refused!.username], ['blocked', id, 'lovelace']);
  assert.deepEqual(renamed, { event_name: 'user_rename', ...ada, username: 'lovelace', old_username: 'ada' });
  assert.deepEqual(destroyed, { event_name: 'user_destroy', ...ada, username: 'lovelace' });
});

test('tokens of projects and groups are told a week and a day before they end, once', async () => {
  const group = await app.make.group();
  const project = await app.make.project();
  const json = { name: 'bot', scopes: ['api'], access_level: 30 };
  const ends = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const make = async (path: string, days: number) =>
    expectStatus<{ id: number; user_id: number }>(
      await app.post(`${path}/access_tokens`, { json: { ...json, expires_at: ends(days) } }),
      201,
    );
  const ofProject = await make(`/projects/${project.id}`, 7);
  const ofGroup = await make(`/groups/${group.id}`, 8);
  const deploy = { name: 'reader', scopes: ['read_repository'], expires_at: `${ends(7)}T10:00:00Z` };
  expectStatus(await app.post(`/projects/${project.id}/deploy_tokens`, { json: deploy }), 201);
  const day = async () => {
    await app.deps.jobs.maintain();
    await app.drain();
  };
  await day();
  const rest = async () => {
    clock.advance(86_400_000);
    return sentPayloadsOf(app, day);
  };
  const days: SentPayloads[] = [];
  for (let at = 0; at < 9; at += 1) days.push(await rest());
  const eventsByDay = days.map(({ hooks }) =>
    hooks.map(({ payload }) => `${payload.event_name} ${'project' in payload ? 'project' : 'group'}`).sort(),
  );
  const first = await app.deps.db
    .selectFrom('domain_events')
    .select('type')
    .where('type', 'like', '%.expiring')
    .execute();
  assert.equal(first.length, 4);
  assert.deepEqual(eventsByDay.flat().sort(), [
    'expiring_access_token group',
    'expiring_access_token group',
    'expiring_access_token project',
    'expiring_deploy_token project',
  ]);
  const [message] = days.flatMap(({ hooks }) => hooks).filter(({ payload }) => 'group' in payload);
  const { created_at, last_used_at, ...attributes } = message!.payload.object_attributes as Payload;
  assert.match(String(created_at), /^2026-06-15 \d\d:\d\d:\d\d UTC$/);
  assert.equal(last_used_at, null);
  assert.deepEqual(attributes, { user_id: ofGroup.user_id, id: ofGroup.id, name: 'bot', expires_at: '2026-06-23' });
  assert.deepEqual(message!.payload.group, {
    group_name: group.name,
    group_path: group.path,
    group_id: group.id,
    full_path: group.full_path,
  });
  assert.equal(message!.header, 'Resource Access Token Hook');
  const sample = await sampleEvent(app.deps, { projectId: project.id }, 'resource_access_token', 1);
  assert.equal((sample.payload.object_attributes as Payload).id, ofProject.id);
  const other = await sampleEvent(app.deps, { projectId: project.id }, 'resource_deploy_token', 1);
  assert.deepEqual([other.header, other.payload.object_kind], ['Resource Deploy Token Hook', 'deploy_token']);
});

test('tests of the hooks of a group take what is in it', async () => {
  const group = await app.make.group();
  const place = { groupId: group.id };
  for (const [trigger, words] of [
    ['subgroup', 'Ensure the group has subgroups.'],
    ['project', 'Ensure the group has projects.'],
    ['issues', 'Ensure the project has issues.'],
  ] as const) {
    await assert.rejects(sampleEvent(app.deps, place, trigger, 1), { status: 422, message: words });
  }
  await app.make.group({ parent: group });
  const project = await app.make.project({ namespace: group });
  expectStatus(await app.post(`/projects/${project.id}/issues`, { json: { title: 'One' } }), 201);
  const kinds: unknown[] = [];
  for (const trigger of ['member', 'subgroup', 'project', 'issues'] as const) {
    const { payload } = await sampleEvent(app.deps, place, trigger, 1);
    kinds.push(payload.event_name ?? payload.object_kind);
  }
  assert.deepEqual(kinds, ['user_add_to_group', 'subgroup_create', 'project_create', 'issue']);
});
