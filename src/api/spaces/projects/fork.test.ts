import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** A public project with a README on `main` and the branch `side`. */
async function source(visibility = 'public'): Promise<{ id: number; path: string; oid: string }> {
  const { token } = await app.make.user();
  const json = { name: `source-${visibility}`, visibility, initialize_with_readme: true };
  const body = expectStatus<Json>(await app.post('/projects', { token, json }), 201);
  const repo = await repositoryOf(Number(body.id));
  const oid = (await repo.refs.resolve('refs/heads/main'))!;
  await repo.refs.transaction([{ ref: 'refs/heads/side', old: null, new: oid }]);
  return { id: Number(body.id), path: String(body.path), oid };
}

async function repositoryOf(id: number) {
  const row = await app.deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return app.deps.storages.open({ storage: row.repository_storage, diskPath: row.disk_path });
}

test('POST /projects/:id/fork answers at once and copies the repository in the background', async () => {
  const { id, oid, path } = await source();
  const { user, token } = await app.make.user();
  const fork = expectStatus<Json>(await app.post(`/projects/${id}/fork`, { token }), 201);
  assert.equal(fork.path_with_namespace, `${user.username}/${path}`);
  assert.equal(fork.import_status, 'scheduled');
  assert.equal((fork.forked_from_project as Json).id, id);
  const before = await repositoryOf(Number(fork.id));
  await app.drain();
  const done = expectStatus<Json>(await app.get(`/projects/${fork.id}`, { token, query: { statistics: true } }), 200);
  assert.equal(done.import_status, 'finished');
  assert.equal(done.empty_repo, false);
  assert.equal(done.visibility, 'public');
  assert.equal((done.statistics as Json).commit_count, 1);
  const repo = await repositoryOf(Number(fork.id));
  assert.equal(await repo.refs.resolve('refs/heads/main'), oid);
  assert.equal(await repo.refs.resolve('refs/heads/side'), oid);
  assert.notEqual(repo.dir, before.dir);
  const forks = expectStatus<Json[]>(await app.get(`/projects/${id}/forks`, { token: null }), 200);
  assert.deepEqual(
    forks.map((entry) => entry.id),
    [fork.id],
  );
  assert.equal(expectStatus<Json>(await app.get(`/projects/${id}`), 200).forks_count, 1);
  const protections = await app.deps.db
    .selectFrom('protected_refs')
    .select('name')
    .where('project_id', '=', Number(fork.id))
    .execute();
  assert.deepEqual(
    protections.map(({ name }) => name),
    ['main'],
  );
});

test('POST /projects/:id/fork copies one branch on request', async () => {
  const { id, oid } = await source();
  const { token } = await app.make.user();
  const json = { branches: 'side', path: 'one-branch', name: 'One branch', visibility: 'private' };
  const fork = expectStatus<Json>(await app.post(`/projects/${id}/fork`, { token, json }), 201);
  await app.drain();
  const repo = await repositoryOf(Number(fork.id));
  assert.deepEqual(await repo.refs.list('refs/heads/'), [{ name: 'refs/heads/side', oid }]);
  assert.equal(await repo.refs.head(), 'side');
  assert.equal(fork.visibility, 'private');
  expectStatus(await app.post(`/projects/${id}/fork`, { token, json: { path: 'x', branches: '--all' } }), 404);
});

test('a fork is never more open than its source and its namespace', async () => {
  const { id } = await source('internal');
  const group = await app.make.group();
  const { user, token } = await app.make.user();
  await app.make.member({ group }, user, 40);
  const refused = await app.post(`/projects/${id}/fork`, { token, json: { visibility: 'public' } });
  assert.deepEqual(expectStatus<Json>(refused, 409).errors, {
    visibility_level: ['public is not allowed since the fork source project has lower visibility.'],
  });
  const fork = await app.post(`/projects/${id}/fork`, { token, json: { namespace_path: group.full_path } });
  assert.equal(expectStatus<Json>(fork, 201).visibility, 'private');
});

test('POST /projects/:id/fork refuses a taken path with 409 and by rights', async () => {
  const { id } = await source();
  const { token } = await app.make.user();
  expectStatus(await app.post(`/projects/${id}/fork`, { token }), 201);
  const taken = expectStatus<Json>(await app.post(`/projects/${id}/fork`, { token }), 409);
  assert.deepEqual((taken.errors as Json).path, ['has already been taken']);
  const hidden = await app.make.group();
  const away = await app.post(`/projects/${id}/fork`, { token, json: { namespace_id: hidden.id } });
  assert.equal(expectStatus<Json>(away, 404).message, '404 Target Namespace Not Found');
  expectStatus(await app.post(`/projects/${id}/fork`, { token: null }), 401);
  const secret = await app.make.project();
  const { guest, reporter, stranger } = await app.make.members(secret);
  expectStatus(await app.post(`/projects/${secret.id}/fork`, { token: stranger.token }), 404);
  expectStatus(await app.post(`/projects/${secret.id}/fork`, { token: guest.token }), 403);
  expectStatus(await app.post(`/projects/${secret.id}/fork`, { token: reporter.token }), 201);
  const closed = await app.make.project({ visibility: 'public', columns: { forking_access_level: 'disabled' } });
  expectStatus(await app.post(`/projects/${closed.id}/fork`, { token }), 403);
});

test('a fork whose source is gone fails and says so', async () => {
  const { id } = await source();
  const { token } = await app.make.user();
  const fork = expectStatus<Json>(await app.post(`/projects/${id}/fork`, { token }), 201);
  expectStatus(await app.delete(`/projects/${id}`), 202);
  await app.drain();
  const failed = expectStatus<Json>(await app.get(`/projects/${fork.id}`, { token }), 200);
  assert.equal(failed.import_status, 'failed');
  assert.equal(failed.import_error, 'The source project no longer exists.');
  assert.ok(!Object.hasOwn(failed, 'forked_from_project'));
});

test('a source that the caller may not see is not shown', async () => {
  const { id } = await source();
  const { token } = await app.make.user();
  const fork = expectStatus<Json>(await app.post(`/projects/${id}/fork`, { token }), 201);
  await app.deps.db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', id).execute();
  assert.ok(
    !Object.hasOwn(expectStatus<Json>(await app.get(`/projects/${fork.id}`, { token }), 200), 'forked_from_project'),
  );
});

test('POST and DELETE of the fork relation are for owners', async () => {
  const { id } = await source();
  const project = await app.make.project();
  const { maintainer, owner } = await app.make.members(project);
  expectStatus(await app.post(`/projects/${project.id}/fork/${id}`, { token: maintainer.token }), 403);
  expectStatus(await app.post(`/projects/${project.id}/fork/999999`, { token: owner.token }), 404);
  const linked = expectStatus<Json>(await app.post(`/projects/${project.id}/fork/${id}`, { token: owner.token }), 201);
  assert.equal((linked.forked_from_project as Json).id, id);
  expectStatus(await app.post(`/projects/${project.id}/fork/${id}`, { token: owner.token }), 409);
  expectStatus(await app.delete(`/projects/${project.id}/fork`, { token: maintainer.token }), 403);
  expectStatus(await app.delete(`/projects/${project.id}/fork`, { token: owner.token }), 204);
  expectStatus(await app.delete(`/projects/${project.id}/fork`, { token: owner.token }), 304);
});

test('a fork does not give the code of a members-only repository to others', async () => {
  const columns = { repository_access_level: 'private', merge_requests_access_level: 'private' } as const;
  const project = await app.make.project({ visibility: 'public', columns });
  new ProjectGit(app, project).commit('main', { secret: 'x' });
  const oid = 'a'.repeat(64);
  await app.deps.db
    .insertInto('lfs_objects')
    .values({ project_id: project.id, oid, size: 1, created_at: new Date().toISOString() })
    .execute();
  const { guest, planner, reporter, stranger } = await app.make.members(project);
  for (const { token } of [stranger, guest, planner]) {
    expectStatus(await app.post(`/projects/${project.id}/fork`, { token }), 403);
  }
  const own = await app.make.project({ owner: stranger.user });
  expectStatus(await app.post(`/projects/${own.id}/fork/${project.id}`, { token: stranger.token }), 403);
  const fork = expectStatus<Json>(await app.post(`/projects/${project.id}/fork`, { token: reporter.token }), 201);
  await app.drain();
  assert.equal(expectStatus<Json>(await app.get(`/projects/${fork.id}`), 200).import_status, 'finished');
  const copied = () => app.deps.db.selectFrom('lfs_objects').select('project_id').where('oid', '=', oid).execute();
  assert.deepEqual((await copied()).map(({ project_id }) => project_id).sort(), [project.id, fork.id].sort());
});

test('a fork gets nothing of a source that was closed before its repository was copied', async () => {
  const { id } = await source();
  const { token } = await app.make.user();
  const fork = expectStatus<Json>(await app.post(`/projects/${id}/fork`, { token }), 201);
  const json = {
    repository_access_level: 'private',
    merge_requests_access_level: 'private',
    builds_access_level: 'private',
  };
  expectStatus(await app.put(`/projects/${id}`, { json }), 200);
  await app.drain();
  const failed = expectStatus<Json>(await app.get(`/projects/${fork.id}`, { token }), 200);
  assert.equal(failed.import_status, 'failed');
  assert.equal(failed.import_error, 'The user who forked the project has no access to the source project.');
  assert.deepEqual(await (await repositoryOf(Number(fork.id))).refs.list('refs/heads/'), []);
});

test('a fork cannot be made more open than its source, as long as it is its fork: a source that is closed has none', async () => {
  const { id } = await source();
  await app.deps.db.updateTable('projects').set({ visibility: 'internal' }).where('id', '=', id).execute();
  const { token } = await app.make.user();
  const fork = expectStatus<Json>(
    await app.post(`/projects/${id}/fork`, { token, json: { visibility: 'internal' } }),
    201,
  );
  const put = (visibility: string) => app.put(`/projects/${fork.id}`, { token, json: { visibility } });
  const refused = expectStatus<Json>(await put('public'), 400);
  assert.deepEqual(refused.errors, {
    visibility_level: ['public is not allowed since the fork source project has lower visibility.'],
  });
  assert.equal(
    expectStatus<Json>(await app.put(`/projects/${id}`, { json: { visibility: 'private' } }), 200).forks_count,
    0,
  );
  const unlinked = expectStatus<Json>(await put('public'), 200);
  assert.equal(unlinked.visibility, 'public');
  assert.ok(!('forked_from_project' in unlinked));
});

test('a project is made as a copy of a project of a group of templates, by who may copy its code', async () => {
  const group = await app.make.group({ visibility: 'private' });
  const json = { name: 'Template', namespace_id: group.id, initialize_with_readme: true, default_branch: 'trunk' };
  const template = Number(expectStatus<Json>(await app.post('/projects', { json }), 201).id);
  const { user, token } = await app.make.user();
  const asked = { name: 'copied', use_custom_template: true, group_with_project_templates_id: group.id };
  const make = (changes: Json) => app.post('/projects', { token, json: { ...asked, ...changes } });
  expectStatus(await make({ template_project_id: template }), 404);
  await app.make.member({ group }, user, 10);
  const refused = expectStatus<Json>(await make({ template_project_id: template }), 400);
  assert.equal(refused.message, 'template_project_id is not a project of the group, or cannot be copied');
  await app.deps.db.updateTable('members').set({ access_level: 20 }).where('user_id', '=', user.id).execute();
  for (const [name, by] of [
    ['by-id', { template_project_id: template }],
    ['by-name', { template_name: 'Template' }],
  ] as const) {
    const made = expectStatus<Json>(await make({ name, ...by }), 201);
    assert.equal(made.import_status, 'scheduled');
    await app.drain();
    const done = expectStatus<Json>(await app.get(`/projects/${made.id}`, { token }), 200);
    assert.deepEqual(
      [done.import_status, done.default_branch, done.empty_repo, done.visibility, done.forked_from_project],
      ['finished', 'trunk', false, 'private', undefined],
    );
  }
  const errors = async (changes: Json) => Object.keys(expectStatus<Json>(await make(changes), 400).errors as Json);
  assert.deepEqual(await errors({ template_name: 'Other' }), ['template_name']);
  assert.deepEqual(await errors({ template_project_id: 999_999 }), ['template_project_id']);
  const without = { group_with_project_templates_id: undefined, template_project_id: template };
  assert.deepEqual(await errors(without), ['group_with_project_templates_id']);
  assert.deepEqual(await errors({ use_custom_template: false, template_project_id: template }), [
    'template_project_id',
  ]);
});
