import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { auditedRequest } from '../../../../test/support/audit-trail.ts';

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

test('POST /groups creates a top-level group that its creator owns', async () => {
  const { user, token } = await app.make.user();
  const json = { name: 'Größe', path: 'made-1', description: 'About', visibility: 'public', lfs_enabled: false };
  const body = expectStatus<GroupAnswer>(await app.post('/groups', { token, json }), 201);
  const { id, ...rest } = body;
  assert.deepEqual(
    [rest.name, rest.path, rest.full_path, rest.full_name, rest.description, rest.visibility, rest.parent_id],
    ['Größe', 'made-1', 'made-1', 'Größe', 'About', 'public', null],
  );
  assert.equal(rest.web_url, `${app.deps.externalUrl()}/groups/made-1`);
  assert.equal(rest.lfs_enabled, false);
  assert.deepEqual(
    [rest.project_creation_level, rest.subgroup_creation_level, rest.two_factor_grace_period, rest.emails_disabled],
    ['developer', 'maintainer', 48, false],
  );
  assert.match(String(rest.runners_token), /^GR1348941/);
  const member = await app.deps.db.selectFrom('members').selectAll().where('source_id', '=', id).executeTakeFirst();
  assert.deepEqual([member?.user_id, member?.access_level, member?.source_type], [user.id, 50, 'group']);
});

test('POST /groups takes its parameters from the query and creates below a parent', async () => {
  const parent = await app.make.group({ path: 'made-parent' });
  const query = { name: 'Child', path: 'child', parent_id: parent.id };
  const body = expectStatus<GroupAnswer>(await app.post('/groups', { query }), 201);
  assert.deepEqual(
    [body.full_path, body.full_name, body.parent_id],
    ['made-parent/child', 'made-parent / Child', parent.id],
  );
});

test('POST /groups: who may', async () => {
  const parent = await app.make.group({ visibility: 'public' });
  const json = (path: string, more = {}) => ({ name: path, path, ...more });
  expectStatus(await app.post('/groups', { token: null, json: json('w1') }), 401);
  const limited = await app.make.user({ columns: { can_create_group: 0 } });
  expectStatus(await app.post('/groups', { token: limited.token, json: json('w1') }), 403);
  const external = await app.make.user({ columns: { external: 1 } });
  expectStatus(await app.post('/groups', { token: external.token, json: json('w1') }), 403);
  const { user } = await app.make.user();
  const reader = await app.make.token(user.id, ['read_api']);
  expectStatus(await app.post('/groups', { token: reader, json: json('w1') }), 403);
  const below = json('below', { parent_id: parent.id });
  for (const level of [0, 10, 20, 30]) {
    const member = await app.make.user();
    if (level > 0) await app.make.member({ group: parent }, member.user, level);
    expectStatus(await app.post('/groups', { token: member.token, json: below }), 403);
  }
  const maintainer = await app.make.user();
  await app.make.member({ group: parent }, maintainer.user, 40);
  expectStatus(await app.post('/groups', { token: maintainer.token, json: below }), 201);
  expectStatus(await app.put(`/groups/${parent.id}`, { json: { subgroup_creation_level: 'owner' } }), 200);
  const refusedNow = { token: maintainer.token, json: json('below2', { parent_id: parent.id }) };
  expectStatus(await app.post('/groups', refusedNow), 403);
});

test('POST /groups hides a parent that the caller may not see', async () => {
  const hidden = await app.make.group();
  const { token } = await app.make.user();
  const json = { name: 'x', path: 'x', parent_id: hidden.id };
  assert.deepEqual(expectStatus(await app.post('/groups', { token, json }), 404), { message: '404 Group Not Found' });
});

test('POST /groups refuses what names and paths must not be', async () => {
  const { user } = await app.make.user({ username: 'taken-user' });
  await app.make.group({ path: 'taken-group' });
  const taken = 'Failed to save group {:path=>["has already been taken"]}';
  for (const path of ['taken-group', 'TAKEN-Group', user.username]) {
    const body = expectStatus(await app.post('/groups', { json: { name: 'x', path } }), 400);
    assert.equal(body.message, taken);
    assert.deepEqual(body.errors, { path: ['has already been taken'] });
  }
  const messageOf = async (json: object) => String(expectStatus(await app.post('/groups', { json }), 400).message);
  assert.match(await messageOf({ name: 'x', path: 'api' }), /:path=>\["api is a reserved name"\]/);
  assert.match(await messageOf({ name: 'x', path: '../x' }), /:path=>\["can contain only letters/);
  assert.match(await messageOf({ name: '<x>', path: 'ok' }), /:name=>\["can contain only letters/);
  assert.equal(await messageOf({ path: 'ok' }), 'name is missing, name is empty');
  assert.equal(
    await messageOf({ name: 'x', path: 'ok', visibility: 'secret' }),
    'visibility does not have a valid value',
  );
});

test('POST /groups refuses the path of a project beside it', async () => {
  const parent = await app.make.group();
  await app.make.project({ namespace: parent, path: 'same' });
  const json = { name: 'x', path: 'Same', parent_id: parent.id };
  assert.match(String(expectStatus(await app.post('/groups', { json }), 400).message), /has already been taken/);
});

test('POST /groups refuses more openness than the parent has, and too deep nesting', async () => {
  const parent = await app.make.group({ visibility: 'internal' });
  const json = { name: 'x', path: 'x', parent_id: parent.id, visibility: 'public' };
  assert.deepEqual(expectStatus(await app.post('/groups', { json }), 400).errors, {
    visibility_level: ['public is not allowed since the parent group has a internal visibility.'],
  });
  let deepest = await app.make.group();
  for (let depth = 0; depth < 20; depth += 1) deepest = await app.make.group({ parent: deepest });
  const tooDeep = { name: 'x', path: 'x', parent_id: deepest.id };
  assert.deepEqual(expectStatus(await app.post('/groups', { json: tooDeep }), 400).errors, {
    parent_id: ['has too deep level of nesting'],
  });
});

test('GET /groups/:id answers by id and by encoded path, as far as the caller may see', async () => {
  const parent = await app.make.group({ path: 'seen', visibility: 'public' });
  const closed = await app.make.group({ path: 'closed', parent });
  const internal = await app.make.group({ path: 'inner', parent, visibility: 'internal' });
  assert.equal(expectStatus<GroupAnswer>(await app.get('/groups/seen%2Fclosed'), 200).id, closed.id);
  const anonymous = expectStatus<GroupAnswer>(await app.get(`/groups/${parent.id}`, { token: null }), 200);
  assert.equal('runners_token' in anonymous, false);
  assert.equal('repository_storage' in anonymous, false);
  for (const group of [closed, internal]) expectStatus(await app.get(`/groups/${group.id}`, { token: null }), 404);
  const stranger = await app.make.user();
  expectStatus(await app.get(`/groups/${internal.id}`, { token: stranger.token }), 200);
  expectStatus(await app.get(`/groups/${closed.id}`, { token: stranger.token }), 404);
  const external = await app.make.user({ columns: { external: 1 } });
  expectStatus(await app.get(`/groups/${internal.id}`, { token: external.token }), 404);
  assert.equal(expectStatus(await app.get('/groups/999999'), 404).message, '404 Group Not Found');
  assert.equal(expectStatus(await app.get('/groups/root'), 404).message, '404 Group Not Found');
});

test('a member of a project inside sees the private groups above it, and no more of them', async () => {
  const parent = await app.make.group();
  const group = await app.make.group({ parent });
  const sibling = await app.make.group({ parent });
  const project = await app.make.project({ namespace: group });
  const { user, token } = await app.make.user();
  await app.make.member({ project }, user, 20);
  for (const each of [parent, group]) expectStatus(await app.get(`/groups/${each.id}`, { token }), 200);
  expectStatus(await app.get(`/groups/${sibling.id}`, { token }), 404);
  const listed = expectStatus<GroupAnswer[]>(await app.get('/groups', { token }), 200);
  assert.deepEqual(listed.map(({ id }) => id).sort(), [parent.id, group.id].sort());
  expectStatus(await app.put(`/groups/${group.id}`, { token, json: { name: 'mine' } }), 403);
});

test('PUT /groups/:id changes attributes and leaves the others', async () => {
  const group = await app.make.group();
  const json = {
    name: 'New name',
    description: 'New',
    visibility: 'internal',
    request_access_enabled: 'false',
    default_branch_protection: 1,
    emails_disabled: true,
    default_branch: 'trunk',
  };
  const body = expectStatus<GroupAnswer>(await app.put(`/groups/${group.id}`, { json }), 200);
  assert.deepEqual(
    [
      body.name,
      body.description,
      body.visibility,
      body.request_access_enabled,
      body.emails_enabled,
      body.default_branch,
    ],
    ['New name', 'New', 'internal', false, false, 'trunk'],
  );
  assert.deepEqual(body.default_branch_protection_defaults, {
    allowed_to_push: [{ access_level: 30 }],
    allow_force_push: false,
    allowed_to_merge: [{ access_level: 40 }],
    developer_can_initial_push: false,
  });
  const again = expectStatus<GroupAnswer>(
    await app.put(`/groups/${group.id}`, { json: { default_branch_protection_defaults: { allow_force_push: true } } }),
    200,
  );
  assert.deepEqual([again.name, again.emails_enabled, again.default_branch_protection], ['New name', false, 1]);
  assert.equal((again.default_branch_protection_defaults as { allow_force_push: boolean }).allow_force_push, true);
});

test('PUT /groups/:id ignores what is not a parameter', async () => {
  const group = await app.make.group();
  const json = {
    id: 1,
    kind: 'user',
    parent_id: 1,
    lineage: '/1/',
    full_path: 'x',
    runners_token: 'x',
    archived: true,
  };
  const body = expectStatus<GroupAnswer>(await app.put(`/groups/${group.id}`, { json }), 200);
  assert.deepEqual([body.id, body.full_path, body.parent_id, body.archived], [group.id, group.full_path, null, false]);
  assert.notEqual(body.runners_token, 'x');
});

test('PUT /groups/:id is for owners', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const json = { name: 'Changed' };
  expectStatus(await app.put(`/groups/${group.id}`, { token: null, json }), 401);
  for (const level of [0, 10, 20, 30, 40, 50]) {
    const { user, token } = await app.make.user();
    if (level > 0) await app.make.member({ group }, user, level);
    expectStatus(await app.put(`/groups/${group.id}`, { token, json }), level === 50 ? 200 : 403);
  }
});

test('PUT /groups/:id keeps the visibility of parent and content', async () => {
  const parent = await app.make.group({ visibility: 'internal' });
  const group = await app.make.group({ parent, visibility: 'internal' });
  await app.make.project({ namespace: group, visibility: 'internal' });
  await app.make.group({ parent: group, visibility: 'internal' });
  const errorsOf = async (visibility: string) =>
    expectStatus(await app.put(`/groups/${group.id}`, { json: { visibility } }), 400).errors;
  assert.deepEqual(await errorsOf('public'), {
    visibility_level: ['public is not allowed since the parent group has a internal visibility.'],
  });
  assert.deepEqual(await errorsOf('private'), {
    visibility_level: [
      'private is not allowed since this group contains projects with higher visibility.',
      'private is not allowed since there are sub-groups with higher visibility.',
    ],
  });
});

test('DELETE /groups/:id removes the group, what is below it and, in the background, the repositories', async () => {
  const group = await app.make.group();
  const child = await app.make.group({ parent: group });
  const project = await app.make.project({ namespace: child });
  const other = await app.make.project();
  const dir = app.deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });
  const { access } = await import('node:fs/promises');
  await access(dir);
  assert.deepEqual(expectStatus(await app.delete(`/groups/${group.id}`), 202), { message: '202 Accepted' });
  for (const { id } of [group, child]) expectStatus(await app.get(`/groups/${id}`), 404);
  const { db } = app.deps;
  assert.equal(await db.selectFrom('projects').select('id').where('id', '=', project.id).executeTakeFirst(), undefined);
  assert.ok(await db.selectFrom('projects').select('id').where('id', '=', other.id).executeTakeFirst());
  const members = await db
    .selectFrom('members')
    .select('id')
    .where('source_type', '=', 'group')
    .where('source_id', 'in', [group.id, child.id])
    .execute();
  assert.deepEqual(members, []);
  await app.drain();
  await assert.rejects(access(dir), { code: 'ENOENT' });
  expectStatus(await app.post('/groups', { json: { name: 'again', path: group.path } }), 201);
});

test('DELETE /groups/:id is for owners and heeds If-Unmodified-Since', async () => {
  const group = await app.make.group({ visibility: 'public' });
  expectStatus(await app.delete(`/groups/${group.id}`, { token: null }), 401);
  const { user, token } = await app.make.user();
  expectStatus(await app.delete(`/groups/${group.id}`, { token }), 403);
  await app.make.member({ group }, user, 40);
  expectStatus(await app.delete(`/groups/${group.id}`, { token }), 403);
  const headers = { 'if-unmodified-since': 'Mon, 15 Jun 2020 12:00:00 GMT' };
  expectStatus(await app.delete(`/groups/${group.id}`, { headers }), 412);
  expectStatus(await app.get(`/groups/${group.id}`), 200);
});

test('file_template_project_id was not taken: now it is a project of the group, or null', async () => {
  const group = await app.make.group();
  const below = await app.make.group({ parent: group });
  const project = await app.make.project({ namespace: below });
  const foreign = await app.make.project();
  const put = (file_template_project_id: number | null) =>
    app.put(`/groups/${group.id}`, { json: { file_template_project_id } });
  const shown = async () =>
    expectStatus<GroupAnswer>(await app.get(`/groups/${group.id}`), 200).file_template_project_id;
  assert.equal(await shown(), null);
  const changed = expectStatus<GroupAnswer>(await put(project.id), 200);
  assert.deepEqual([changed.file_template_project_id, await shown()], [project.id, project.id]);
  for (const id of [foreign.id, 99_999]) {
    const refused = expectStatus<{ message: string }>(await put(id), 400);
    assert.equal(refused.message, 'file_template_project_id is not a project of the group');
  }
  assert.equal(await shown(), project.id);
  expectStatus(await put(null), 200);
  assert.equal(await shown(), null);
  expectStatus(await put(project.id), 200);
  expectStatus(await app.delete(`/projects/${project.id}`), 202);
  assert.equal(await shown(), null);
});

test('auto_ban_user_on_excessive_projects_download had another name', async () => {
  const { id } = await app.make.group();
  const name = 'auto_ban_user_on_excessive_projects_download';
  assert.equal(expectStatus<GroupAnswer>(await app.put(`/groups/${id}`, { json: { [name]: true } }), 200)[name], true);
});

test('duo_availability is two settings in one; experiments are kept', async () => {
  const json = { name: 'AI', path: 'with-ai', duo_availability: 'never_on', experiment_features_enabled: true };
  const created = expectStatus<GroupAnswer>(await app.post('/groups', { json }), 201);
  const shown = ({ duo_availability, duo_features_enabled, lock_duo_features_enabled }: GroupAnswer) => [
    duo_availability,
    duo_features_enabled,
    lock_duo_features_enabled,
  ];
  assert.deepEqual(shown(created), ['never_on', false, true]);
  assert.equal(created.experiment_features_enabled, true);
  const put = async (changes: object) =>
    shown(expectStatus<GroupAnswer>(await app.put(`/groups/${created.id}`, { json: changes }), 200));
  assert.deepEqual(await put({ duo_availability: 'default_off' }), ['default_off', false, false]);
  assert.deepEqual(await put({ duo_features_enabled: true }), ['default_on', true, false]);
  assert.deepEqual(await put({ duo_features_enabled: false, lock_duo_features_enabled: true }), [
    'never_on',
    false,
    true,
  ]);
  expectStatus(await app.put(`/groups/${created.id}`, { json: { duo_availability: 'sometimes' } }), 400);
});

test('a group follows no group elsewhere, and refuses protections that the server does not have', async () => {
  const { id } = await app.make.group();
  const put = (json: object) => app.put(`/groups/${id}`, { json });
  const group = expectStatus<GroupAnswer>(await app.get(`/groups/${id}`), 200);
  assert.deepEqual([group.ldap_group_links, group.saml_group_links, group.ip_restriction_ranges], [[], [], null]);
  const ranges = expectStatus<{ message: string }>(await put({ ip_restriction_ranges: '10.0.0.0/8' }), 400);
  assert.match(ranges.message, /^ip_restriction_ranges cannot be set: leave it empty/);
  const provider = await put({ step_up_auth_required_oauth_provider: 'openid_connect' });
  const { message } = expectStatus<{ message: string }>(provider, 400);
  assert.match(message, /^step_up_auth_required_oauth_provider is not supported by this server/);
  for (const empty of ['', null]) {
    expectStatus(await put({ ip_restriction_ranges: empty, step_up_auth_required_oauth_provider: empty }), 200);
  }
  const snippets = expectStatus<GroupAnswer>(await put({ allow_personal_snippets: false }), 200);
  assert.equal(snippets.allow_personal_snippets, false);
});

test('allowed_email_domains_list lets in only members of these domains, below the group as well', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const below = await app.make.group({ parent: group });
  const project = await app.make.project({ namespace: below });
  const put = (list: unknown) => app.put(`/groups/${group.id}`, { json: { allowed_email_domains_list: list } });
  const refused = expectStatus<{ message: string }>(await put('example.org, not a domain'), 400);
  assert.equal(refused.message, 'allowed_email_domains_list has an invalid domain: not a domain');
  const changed = expectStatus<GroupAnswer>(await put('one.example, Two.example'), 200);
  assert.equal(changed.allowed_email_domains_list, 'one.example, Two.example');
  const confirmed_at = group.created_at;
  const person = (email: string, columns: object = { confirmed_at }) =>
    app.make.user({ columns: { email, ...columns } });
  const places = [`/groups/${group.id}`, `/groups/${below.id}`, `/projects/${project.id}`];
  for (const [number, place] of places.entries()) {
    const add = async (user: { id: number }) =>
      app.post(`${place}/members`, { json: { user_id: user.id, access_level: 30 } });
    const wrong = await person(`a${number}@sub.one.example`);
    const { message } = expectStatus<{ message: string }>(await add(wrong.user), 400);
    assert.equal(message, 'user email does not match the allowed domains: one.example, two.example');
    expectStatus(await add((await person(`b${number}@one.example`, { confirmed_at: null })).user), 400);
    expectStatus(await add((await person(`c${number}@TWO.example`)).user), 201);
  }
  const token = { name: 'bot', scopes: ['api'], access_level: 30, expires_at: '2027-01-01' };
  expectStatus(await app.post(`/groups/${group.id}/access_tokens`, { json: token }), 201);
  for (const email of ['d@one.example', 'd@else.example']) {
    expectStatus(await app.post(`/groups/${group.id}/invitations`, { json: { email, access_level: 20 } }), 201);
    const json = { email, name: 'D', username: email.replace('@', '-'), password: 'correct horse' };
    const { id } = expectStatus<{ id: number }>(await app.post('/users', { json }), 201);
    expectStatus(await app.get(`/groups/${group.id}/members/${id}`), email === 'd@one.example' ? 200 : 404);
  }
  const asking = await person('asks@else.example');
  expectStatus(await app.post(`/groups/${group.id}/access_requests`, { token: asking.token }), 201);
  expectStatus(await app.put(`/groups/${group.id}/access_requests/${asking.user.id}/approve`), 400);
  const guest = await app.make.user();
  await app.make.member({ group }, guest.user, 10);
  const seen = expectStatus<GroupAnswer>(await app.get(`/groups/${group.id}`, { token: guest.token }), 200);
  assert.ok(!('allowed_email_domains_list' in seen));
  expectStatus(await put(''), 200);
  expectStatus(await app.put(`/groups/${group.id}/access_requests/${asking.user.id}/approve`), 201);
});

test('the merge checks of a group are set when it is made and changed, and told in the audit events', async () => {
  const names = [
    'only_allow_merge_if_pipeline_succeeds',
    'allow_merge_on_skipped_pipeline',
    'only_allow_merge_if_all_discussions_are_resolved',
  ];
  const shown = (group: GroupAnswer) => names.map((name) => group[name as keyof GroupAnswer]);
  const plain = await app.make.group();
  assert.deepEqual(shown(expectStatus<GroupAnswer>(await app.get(`/groups/${plain.id}`), 200)), [false, false, false]);
  const all = Object.fromEntries(names.map((name) => [name, true]));
  const json = { name: 'Checked', path: 'checked', ...all };
  const { id } = expectStatus<GroupAnswer>(await app.post('/groups', { json }), 201);
  assert.deepEqual(shown(expectStatus<GroupAnswer>(await app.get(`/groups/${id}`), 200)), [true, true, true]);
  const entries = await auditedRequest(app, 'PUT', `/groups/${id}`, { [names[1]!]: 'false' });
  assert.equal(entries.gist.event, 'group_allow_merge_on_skipped_pipeline_updated');
  assert.deepEqual(shown(expectStatus<GroupAnswer>(await app.get(`/groups/${id}`), 200)), [true, false, true]);
  expectStatus(await app.put(`/groups/${id}`, { json: { [names[0]!]: 'perhaps' } }), 400);
  const { token, user } = await app.make.user();
  await app.make.member({ group: { id } as typeof plain }, user, 40);
  expectStatus(await app.put(`/groups/${id}`, { token, json: { [names[0]!]: false } }), 403);
});
