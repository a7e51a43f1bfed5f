import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
let ada: Awaited<ReturnType<TestApp['make']['user']>>;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
});
after(() => app.close());
afterEach(() => resetSettings(app));

const set = (json: Json) => changeSettings(app, json);
let made = 0;
function name(): string {
  made += 1;
  return `place-${made}`;
}
const asAda = (json: Json) => ({ json, token: ada.token });

test('restricted visibilities: only administrators give them to projects, groups and snippets', async () => {
  const open = expectStatus<Json>(await app.post('/projects', asAda({ name: name() })), 201);
  const group = expectStatus<Json>(await app.post('/groups', asAda({ name: name(), path: name() })), 201);
  const snippet = { title: 'A', file_name: 'a.txt', content: 'a' };
  const closed = expectStatus<Json>(await app.post('/snippets', asAda({ ...snippet, visibility: 'private' })), 201);
  await set({ restricted_visibility_levels: ['public', 'internal'] });
  const text = 'public has been restricted by your GitLab administrator';
  const refusals = [
    await app.post('/projects', asAda({ name: name(), visibility: 'public' })),
    await app.put(`/projects/${open.id}`, asAda({ visibility: 'public' })),
    await app.post('/groups', asAda({ name: name(), path: name(), visibility: 'public' })),
    await app.put(`/groups/${group.id}`, asAda({ visibility: 'public' })),
    await app.post('/snippets', asAda({ ...snippet, visibility: 'public' })),
    await app.put(`/snippets/${closed.id}`, asAda({ visibility: 'public' })),
  ];
  for (const refusal of refusals) {
    assert.deepEqual(expectStatus<Json>(refusal, 400).errors, { visibility_level: [text] });
  }
  expectStatus(await app.put(`/projects/${open.id}`, { json: { visibility: 'public' } }), 200);
  expectStatus(await app.put(`/projects/${open.id}`, asAda({ visibility: 'public', description: 'as it was' })), 200);
  const fork = expectStatus<Json>(
    await app.post(`/projects/${open.id}/fork`, asAda({ path: name(), name: name() })),
    201,
  );
  assert.equal(fork.visibility, 'private');
  expectStatus(
    await app.post(`/projects/${open.id}/fork`, asAda({ path: name(), name: name(), visibility: 'public' })),
    409,
  );
});

test('default visibilities: what is made without one has them, never more open than its group', async () => {
  await set({
    default_project_visibility: 'internal',
    default_group_visibility: 'public',
    default_snippet_visibility: 'public',
  });
  const group = expectStatus<Json>(await app.post('/groups', asAda({ name: name(), path: name() })), 201);
  assert.equal(group.visibility, 'public');
  const closed = expectStatus<Json>(
    await app.post('/groups', asAda({ name: name(), path: name(), visibility: 'private' })),
    201,
  );
  const below = { name: name(), path: name(), parent_id: closed.id };
  assert.equal(expectStatus<Json>(await app.post('/groups', asAda(below)), 201).visibility, 'private');
  const project = expectStatus<Json>(await app.post('/projects', asAda({ name: name() })), 201);
  assert.equal(project.visibility, 'internal');
  const within = { name: name(), namespace_id: closed.id };
  assert.equal(expectStatus<Json>(await app.post('/projects', asAda(within)), 201).visibility, 'private');
  const snippet = { title: 'A', file_name: 'a.txt', content: 'a' };
  assert.equal(expectStatus<Json>(await app.post('/snippets', asAda(snippet)), 201).visibility, 'public');
});

test('default branch: its name, and how it is protected where no group says so', async () => {
  await set({ default_branch_name: 'trunk', default_branch_protection: 1 });
  const make = async (json: Json = {}) =>
    expectStatus<Json>(
      await app.post('/projects', asAda({ name: name(), initialize_with_readme: true, ...json })),
      201,
    );
  const project = await make();
  assert.equal(project.default_branch, 'trunk');
  const levels = async (id: unknown) => {
    const [branch] = expectStatus<Json[]>(await app.get(`/projects/${id}/protected_branches`), 200);
    const of = (kind: string) => (branch?.[kind] as Json[] | undefined)?.map((level) => level.access_level);
    return [branch?.name, of('push_access_levels'), of('merge_access_levels'), branch?.allow_force_push];
  };
  assert.deepEqual(await levels(project.id), ['trunk', [30], [40], false]);
  const group = { name: name(), path: name(), default_branch_protection: 3 };
  const { id } = expectStatus<Json>(await app.post('/groups', asAda(group)), 201);
  assert.deepEqual(await levels((await make({ namespace_id: id })).id), ['trunk', [40], [30], false]);
  await set({ group_owners_can_manage_default_branch_protection: false });
  assert.deepEqual(await levels((await make({ namespace_id: id })).id), ['trunk', [30], [40], false]);
  await set({ default_branch_protection: 0 });
  assert.deepEqual(await levels((await make()).id), [undefined, undefined, undefined, undefined]);
});

test('who makes projects and groups: new groups, new users, the top level, Guests', async () => {
  await set({ default_project_creation: 1 });
  const group = expectStatus<Json>(await app.post('/groups', asAda({ name: name(), path: name() })), 201);
  assert.equal(group.project_creation_level, 'maintainer');
  await set({ top_level_group_creation_enabled: false });
  expectStatus(await app.post('/groups', asAda({ name: name(), path: name() })), 403);
  expectStatus(await app.post('/groups', asAda({ name: name(), path: name(), parent_id: group.id })), 201);
  expectStatus(await app.post('/groups', { json: { name: name(), path: name() } }), 201);
  await set({ top_level_group_creation_enabled: true, allow_project_creation_for_guest_and_below: false });
  const guest = await app.make.user();
  for (const [path, json] of [
    ['/projects', { name: name() }],
    ['/groups', { name: name(), path: name() }],
  ] as const) {
    expectStatus(await app.post(path, { token: guest.token, json }), 403);
    expectStatus(await app.post(path, asAda(json)), 201);
  }
});

test('new users: limits, external unless their address is internal, private profiles', async () => {
  const make = async (json: Json = {}) => {
    const username = name();
    const json_ = {
      username,
      name: username,
      email: `${username}@forge.example`,
      password: 'correct-horse-9',
      ...json,
    };
    return expectStatus<Json>(await app.post('/users', { json: json_ }), 201);
  };
  await set({
    default_projects_limit: 2,
    can_create_group: false,
    user_default_external: true,
    user_default_internal_regex: '@inside\\.example$',
    user_defaults_to_private_profile: true,
  });
  const facts = ({ projects_limit, can_create_group, external, private_profile }: Json) => [
    projects_limit,
    can_create_group,
    external,
    private_profile,
  ];
  assert.deepEqual(facts(await make()), [2, false, true, true]);
  assert.deepEqual(facts(await make({ email: `${name()}@INSIDE.example` })), [2, false, false, true]);
  const own = { projects_limit: 9, can_create_group: true, external: false, private_profile: false };
  assert.deepEqual(facts(await make(own)), [9, true, false, false]);
});

test('deletion: delayed by so many days, at once only where that is allowed, by administrators where it is protected', async () => {
  const make = async () => expectStatus<Json>(await app.post('/projects', asAda({ name: name() })), 201);
  const remove = (id: unknown, query = {}) => app.delete(`/projects/${id}`, { token: ada.token, query });
  await set({ deletion_adjourned_period: 3, allow_immediate_namespaces_deletion: false });
  const project = await make();
  expectStatus(await remove(project.id), 202);
  const marked = expectStatus<Json>(await app.get(`/projects/${project.id}`), 200);
  assert.equal(marked.marked_for_deletion_on, '2026-06-15');
  const { message } = expectStatus<Json>(
    await remove(project.id, { permanently_remove: true, full_path: String(marked.path_with_namespace) }),
    403,
  );
  assert.equal(message, '403 Forbidden - Projects marked for deletion cannot be deleted immediately.');
  await app.deps.jobs.maintain();
  const group = expectStatus<Json>(await app.post('/groups', asAda({ name: name(), path: name() })), 201);
  expectStatus(await app.delete(`/groups/${group.id}`, { token: ada.token }), 202);
  const { full_path } = expectStatus<Json>(await app.get(`/groups/${group.id}`), 200);
  const now = { permanently_remove: true, full_path: String(full_path) };
  expectStatus(await app.delete(`/groups/${group.id}`, { token: ada.token, query: now }), 403);
  clock.advance(4 * 86_400_000);
  await app.drain();
  expectStatus(await app.get(`/projects/${project.id}`), 404);
  expectStatus(await app.get(`/groups/${group.id}`), 404);
  await set({ deletion_adjourned_period: 0, default_project_deletion_protection: true });
  const other = await make();
  expectStatus(await remove(other.id), 403);
  expectStatus(await app.delete(`/projects/${other.id}`), 202);
});

test('deletion: at once where projects or groups are not to be delayed', async () => {
  const gone = async (kind: 'projects' | 'groups') => {
    const json = kind === 'projects' ? { name: name() } : { name: name(), path: name() };
    const { id } = expectStatus<Json>(await app.post(`/${kind}`, asAda(json)), 201);
    expectStatus(await app.delete(`/${kind}/${id}`, { token: ada.token }), 202);
    return (await app.get(`/${kind}/${id}`)).statusCode === 404;
  };
  await set({ deletion_adjourned_period: 3 });
  assert.deepEqual([await gone('projects'), await gone('groups')], [false, false]);
  await set({ delayed_project_deletion: false });
  assert.deepEqual([await gone('projects'), await gone('groups')], [true, false]);
  await set({ delayed_project_deletion: true, delayed_group_deletion: false });
  assert.deepEqual([await gone('projects'), await gone('groups')], [false, true]);
});

test('custom_project_templates_group_id: projects of which everybody makes others, as far as they may copy them', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const made = async (json: Json) =>
    expectStatus<Json>(
      await app.post('/projects', { json: { namespace_id: group.id, initialize_with_readme: true, ...json } }),
      201,
    );
  const open = await made({ name: 'Open', visibility: 'public' });
  await made({ name: 'Closed', visibility: 'private' });
  const use = (json: Json) => app.post('/projects', asAda({ name: name(), use_custom_template: true, ...json }));
  expectStatus(await use({ template_name: 'Open' }), 400);
  const put = (id: unknown) => app.put('/application/settings', { json: { custom_project_templates_group_id: id } });
  const shown = async () =>
    expectStatus<Json>(await app.get('/application/settings'), 200).custom_project_templates_group_id;
  assert.equal(expectStatus<Json>(await put(group.id), 200).custom_project_templates_group_id, group.id);
  for (const asked of [{ template_name: 'Open' }, { template_project_id: open.id }]) {
    const { id } = expectStatus<Json>(await use(asked), 201);
    await app.drain();
    assert.equal(expectStatus<Json>(await app.get(`/projects/${id}`), 200).empty_repo, false);
  }
  for (const asked of [{ template_name: 'Closed' }, { template_name: 'None' }, { template_project_id: 999_999 }]) {
    expectStatus(await use(asked), 400);
  }
  const elsewhere = await app.make.group();
  expectStatus(await use({ template_name: 'Open', group_with_project_templates_id: elsewhere.id }), 404);
  const { id: namespace } = expectStatus<Json>(await app.get('/namespaces/root'), 200);
  for (const wrong of [999_999, namespace]) {
    const { errors } = expectStatus<Json>(await put(wrong), 400);
    assert.deepEqual(errors, { custom_project_templates_group_id: ['is not the id of a group'] });
  }
  assert.equal(await shown(), group.id);
  await set({ deletion_adjourned_period: 0 });
  expectStatus(await app.delete(`/groups/${group.id}`), 202);
  await app.drain();
  assert.equal(await shown(), null);
  expectStatus(await use({ template_name: 'Open' }), 400);
  expectStatus(await put(null), 200);
});

test('repository_storages: the storages that take new repositories, by their names', async () => {
  const put = async (json: Json) => {
    const shown = expectStatus<Json>(await app.put('/application/settings', { json }), 200);
    return [shown.repository_storages_weighted, shown.repository_storages];
  };
  await put({ repository_storages_weighted: { default: 30, second: 70 } });
  assert.deepEqual(await put({ repository_storages: ['default'] }), [{ default: 30, second: 0 }, ['default']]);
  assert.deepEqual(await put({ repository_storages: 'default,second' }), [
    { default: 30, second: 100 },
    ['default', 'second'],
  ]);
  for (const repository_storages of [['nowhere'], []]) {
    const refused = await app.put('/application/settings', { json: { repository_storages } });
    assert.ok((expectStatus<Json>(refused, 400).errors as Json).repository_storages_weighted);
  }
});

test('repository_storages_weighted: where new repositories go, and moves that name no storage', async () => {
  const storageOf = async (weights: Json) => {
    await set({ repository_storages_weighted: weights });
    return expectStatus<Json>(await app.post('/projects', { json: { name: name() } }), 201);
  };
  const there = await storageOf({ default: 0, second: 100 });
  assert.equal(there.repository_storage, 'second');
  const here = await storageOf({ default: 100, second: 0 });
  assert.equal(here.repository_storage, 'default');
  const move = await app.post(`/projects/${there.id}/repository_storage_moves`, { json: {} });
  assert.equal(expectStatus<Json>(move, 201).destination_storage_name, 'default');
  await app.drain();
});
