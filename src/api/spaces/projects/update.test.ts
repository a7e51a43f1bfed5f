import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('PUT /projects/:id changes attributes and keeps the others', async () => {
  const project = await app.make.project({ columns: { description: 'Before' } });
  const { maintainer } = await app.make.members(project);
  const { token } = maintainer;
  const json = {
    merge_method: 'ff',
    wiki_enabled: false,
    issues_access_level: 'private',
    emails_disabled: true,
    build_timeout: 900,
    ci_config_path: '',
    container_expiration_policy_attributes: { cadence: '7d', name_regex_delete: 'x' },
    topics: ['One', 'two', 'ONE'],
  };
  const body = expectStatus<Json>(await app.put(`/projects/${project.id}`, { token, json }), 200);
  assert.equal(body.merge_method, 'ff');
  assert.equal(body.wiki_access_level, 'disabled');
  assert.equal(body.wiki_enabled, false);
  assert.equal(body.issues_access_level, 'private');
  assert.equal(body.emails_enabled, false);
  assert.equal(body.build_timeout, 900);
  assert.equal(body.description, 'Before');
  assert.equal((body.topics as string[]).length, 2);
  assert.equal((body.container_expiration_policy as Json).cadence, '7d');
  assert.equal((body.container_expiration_policy as Json).older_than, '90d');
  assert.equal((body.container_expiration_policy as Json).name_regex, 'x');
  const next = expectStatus<Json>(await app.put(`/projects/${project.id}`, { token, json: { description: '' } }), 200);
  assert.equal(next.merge_method, 'ff');
  assert.equal(next.description, '');
  assert.deepEqual(next.topics, body.topics);
});

test('PUT /projects/:id refuses by rights', async () => {
  const project = await app.make.project();
  const { developer, maintainer, owner, stranger } = await app.make.members(project);
  const put = (token: string | null, json: unknown) => app.put(`/projects/${project.id}`, { token, json });
  expectStatus(await put(null, { description: 'x' }), 401);
  expectStatus(await put(stranger.token, { description: 'x' }), 404);
  expectStatus(await put(developer.token, { description: 'x' }), 403);
  expectStatus(await put(maintainer.token, { visibility: 'public' }), 403);
  expectStatus(await put(maintainer.token, { name: 'Other' }), 403);
  expectStatus(await put(maintainer.token, { path: 'other' }), 403);
  assert.equal(expectStatus<Json>(await put(owner.token, { visibility: 'public' }), 200).visibility, 'public');
  const reader = await app.make.token(owner.user.id, ['read_api']);
  expectStatus(await put(reader, { description: 'x' }), 403);
});

test('PUT /projects/:id ignores what nobody may set', async () => {
  const project = await app.make.project();
  const json = {
    description: 'x',
    id: 1,
    creator_id: 999,
    namespace_id: 999,
    repository_storage: '../x',
    disk_path: '../x',
    star_count: 99,
    import_status: 'failed',
    archived: true,
    settings: { merge_method: 'ff' },
    repository_object_format: 'sha256',
  };
  expectStatus(await app.put(`/projects/${project.id}`, { json }), 200);
  const row = await app.deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual({ ...row }, { ...project, description: 'x', updated_at: row.updated_at });
});

test('PUT /projects/:id refuses bad values with 400', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const other = await app.make.project({ namespace: group });
  const refused = async (json: Json) => expectStatus<Json>(await app.put(`/projects/${project.id}`, { json }), 400);
  assert.match(
    String((await refused({})).error),
    /^name, path, .* are missing, at least one parameter must be provided$/,
  );
  assert.deepEqual((await refused({ path: other.path, name: other.name })).errors, {
    name: ['has already been taken'],
    path: ['has already been taken'],
    'project_namespace.name': ['has already been taken'],
  });
  assert.deepEqual((await refused({ visibility: 'internal' })).errors, {
    visibility_level: ['internal is not allowed in a private group.'],
  });
  assert.match(String((await refused({ default_branch: 'missing' })).message), /branch named 'missing'/);
  assert.equal((await refused({ build_timeout: 1 })).error, 'build_timeout does not have a valid value');
  assert.equal((await refused({ merge_method: 'octopus' })).error, 'merge_method does not have a valid value');
  const levels = (await refused({ repository_access_level: 'disabled' })).errors as Json;
  assert.deepEqual(Object.keys(levels), [
    'project_feature.merge_requests_access_level',
    'project_feature.builds_access_level',
  ]);
});

test('PUT /projects/:id renames, and the old address leads to the new one', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user, path: 'old-name' });
  const body = expectStatus<Json>(await app.put(`/projects/${project.id}`, { token, json: { path: 'new-name' } }), 200);
  assert.equal(body.path_with_namespace, `${user.username}/new-name`);
  const old = await app.get(`/projects/${encodeURIComponent(project.full_path)}`, { token });
  assert.equal(old.statusCode, 301);
  assert.match(String(old.headers.location), /new-name$/);
  expectStatus(
    await app.put(`/projects/${encodeURIComponent(project.full_path)}`, { token, json: { name: 'x' } }),
    405,
  );
  expectStatus(await app.post('/projects', { token, json: { name: 'Another', path: 'old-name' } }), 201);
  expectStatus(await app.get(`/projects/${encodeURIComponent(project.full_path)}`, { token }), 200);
});

test('PUT /projects/:id sets the default branch to one that is there', async () => {
  const { token } = await app.make.user();
  const json = { name: 'branched', initialize_with_readme: true };
  const project = expectStatus<Json>(await app.post('/projects', { token, json }), 201);
  const row = await app.deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', Number(project.id))
    .executeTakeFirstOrThrow();
  const repo = app.deps.storages.open({ storage: row.repository_storage, diskPath: row.disk_path });
  const oid = await repo.refs.resolve('refs/heads/main');
  await repo.refs.transaction([{ ref: 'refs/heads/next', old: null, new: oid }]);
  const path = `/projects/${project.id}`;
  assert.equal(
    expectStatus<Json>(await app.put(path, { token, json: { default_branch: 'next' } }), 200).default_branch,
    'next',
  );
  assert.equal(await repo.refs.head(), 'next');
});

test('PUT /projects/:id/transfer moves a project to another namespace', async () => {
  const group = await app.make.group({ visibility: 'private' });
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user, visibility: 'public' });
  const transfer = (namespace: string | number) =>
    app.put(`/projects/${project.id}/transfer`, { token, json: { namespace } });
  expectStatus(await transfer('no-such-place'), 404);
  expectStatus(await transfer(group.id), 404);
  await app.make.member({ group }, user, 40);
  const locations = expectStatus<Json[]>(await app.get(`/projects/${project.id}/transfer_locations`, { token }), 200);
  assert.deepEqual(
    locations.map(({ id }) => id),
    [group.id],
  );
  const body = expectStatus<Json>(await transfer(group.full_path), 200);
  assert.equal(body.path_with_namespace, `${group.full_path}/${project.path}`);
  assert.equal(body.visibility, 'private');
  assert.equal((await app.get(`/projects/${encodeURIComponent(project.full_path)}`, { token })).statusCode, 301);
  assert.equal(expectStatus<Json>(await transfer(user.username), 200).path_with_namespace, project.full_path);
  expectStatus(await transfer(user.username), 400);
});

test('PUT /projects/:id/transfer refuses a taken path with 400', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ path: 'twin' });
  await app.make.project({ path: 'twin', namespace: group });
  const body = await app.put(`/projects/${project.id}/transfer`, { json: { namespace: group.id } });
  assert.equal(
    expectStatus<Json>(body, 400).message,
    'Failed to transfer project ["Project with same name or path in target namespace already exists"]',
  );
});
