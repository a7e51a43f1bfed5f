import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const errorsOf = (body: Json) => body.errors as Record<string, string[]>;

test('POST /projects creates a project in the namespace of the caller', async () => {
  const { user, token } = await app.make.user();
  const body = expectStatus<Json>(await app.post('/projects', { token, json: { name: 'My Project Böse' } }), 201);
  assert.equal(body.path, 'my-project-bose');
  assert.equal(body.path_with_namespace, `${user.username}/my-project-bose`);
  assert.equal(body.name_with_namespace, `${user.name} / My Project Böse`);
  assert.equal(body.visibility, 'private');
  assert.equal(body.default_branch, 'main');
  assert.equal(body.empty_repo, true);
  assert.equal(body.creator_id, user.id);
  assert.equal((body.owner as Json).username, user.username);
  const seen = expectStatus<Json>(await app.get(`/projects/${body.id}`, { token }), 200);
  assert.deepEqual(seen.permissions, {
    project_access: { access_level: 50, notification_level: 3 },
    group_access: null,
  });
});

test('POST /projects takes parameters from the query with an empty body', async () => {
  const { token } = await app.make.user();
  const response = await app.post('/projects', {
    token,
    query: { path: 'from-query', issues_enabled: 'false' },
    json: {},
  });
  const body = expectStatus<Json>(response, 201);
  assert.equal(body.name, 'from-query');
  assert.equal(body.issues_access_level, 'disabled');
  assert.equal(body.issues_enabled, false);
});

test('POST /projects with a README makes the first commit and protects the default branch', async () => {
  const { token } = await app.make.user();
  const json = { name: 'with-readme', description: 'About it', initialize_with_readme: true, default_branch: 'trunk' };
  const created = expectStatus<Json>(await app.post('/projects', { token, json }), 201);
  assert.equal(created.empty_repo, false);
  assert.equal(created.default_branch, 'trunk');
  assert.match(String(created.readme_url), /\/with-readme\/-\/blob\/trunk\/README\.md$/);
  const protections = await app.deps.db
    .selectFrom('protected_refs')
    .innerJoin('protected_ref_levels', 'protected_ref_levels.protected_ref_id', 'protected_refs.id')
    .select(['name', 'action', 'access_level', 'allow_force_push'])
    .where('project_id', '=', Number(created.id))
    .orderBy('action')
    .execute();
  assert.deepEqual(
    protections.map((row) => ({ ...row })),
    [
      { name: 'trunk', action: 'merge', access_level: 40, allow_force_push: 0 },
      { name: 'trunk', action: 'push', access_level: 40, allow_force_push: 0 },
    ],
  );
  await app.drain();
  const counted = expectStatus<Json>(
    await app.get(`/projects/${created.id}`, { token, query: { statistics: true } }),
    200,
  );
  const statistics = counted.statistics as Record<string, number>;
  assert.equal(statistics.commit_count, 1);
  assert.ok(statistics.repository_size! > 0);
  assert.equal(statistics.storage_size, statistics.repository_size);
});

test('POST /projects refuses a taken name and path with 400 and the texts by field', async () => {
  const { token } = await app.make.user();
  expectStatus(await app.post('/projects', { token, json: { name: 'taken' } }), 201);
  const body = expectStatus<Json>(await app.post('/projects', { token, json: { name: 'taken' } }), 400);
  assert.deepEqual(errorsOf(body), {
    name: ['has already been taken'],
    path: ['has already been taken'],
    'project_namespace.name': ['has already been taken'],
  });
  const upper = expectStatus<Json>(await app.post('/projects', { token, json: { name: 'Other', path: 'TAKEN' } }), 400);
  assert.deepEqual(errorsOf(upper), { path: ['has already been taken'] });
});

test('POST /projects refuses the path of a subgroup with 400', async () => {
  const group = await app.make.group();
  const subgroup = await app.make.group({ parent: group });
  const json = { name: subgroup.path, namespace_id: group.id };
  assert.deepEqual(errorsOf(expectStatus(await app.post('/projects', { json }), 400)), {
    path: ['has already been taken'],
  });
});

test('POST /projects refuses bad parameters with 400', async () => {
  const missing = expectStatus<Json>(await app.post('/projects', { json: {} }), 400);
  assert.equal(missing.error, 'name, path are missing, at least one parameter must be provided');
  for (const [json, field] of [
    [{ name: '-bad' }, 'name'],
    [{ name: 'ok', path: 'a/b' }, 'path'],
    [{ name: 'ok', path: '.git' }, 'path'],
    [{ name: 'ok', path: 'blob' }, 'path'],
    [{ name: 'ok', default_branch: '-x' }, 'default_branch'],
    [{ name: 'ok', template_name: 'rails' }, 'template_name'],
    [
      { name: 'ok', repository_access_level: 'private', builds_access_level: 'enabled' },
      'project_feature.builds_access_level',
    ],
  ] as const) {
    const body = expectStatus<Json>(await app.post('/projects', { json }), 400);
    assert.ok(Object.hasOwn(errorsOf(body), field), JSON.stringify(body));
  }
  const wrong = expectStatus<Json>(await app.post('/projects', { json: { name: 'x', visibility: 'secret' } }), 400);
  assert.equal(wrong.error, 'visibility does not have a valid value');
});

test('POST /projects holds projects to the visibility of their group', async () => {
  const group = await app.make.group({ visibility: 'internal' });
  const json = { name: 'too-open', namespace_id: group.id, visibility: 'public' };
  assert.deepEqual(errorsOf(expectStatus(await app.post('/projects', { json }), 400)), {
    visibility_level: ['public is not allowed in a internal group.'],
  });
  expectStatus(await app.post('/projects', { json: { ...json, visibility: 'internal' } }), 201);
});

test('POST /projects refuses by rights: 401, 403 and 404', async () => {
  expectStatus(await app.post('/projects', { token: null, json: { name: 'x' } }), 401);
  const reader = await app.make.user({ scopes: ['read_api'] });
  expectStatus(await app.post('/projects', { token: reader.token, json: { name: 'x' } }), 403);
  const open = await app.make.group({ visibility: 'public' });
  const hidden = await app.make.group();
  const { user, token } = await app.make.user();
  expectStatus(await app.post('/projects', { token, json: { name: 'x', namespace_id: open.id } }), 403);
  const unseen = expectStatus<Json>(
    await app.post('/projects', { token, json: { name: 'x', namespace_id: hidden.id } }),
    404,
  );
  assert.equal(unseen.message, '404 Namespace Not Found');
  expectStatus(await app.post('/projects', { token, json: { name: 'x', namespace_id: 999_999 } }), 404);
  await app.make.member({ group: hidden }, user, 20);
  expectStatus(await app.post('/projects', { token, json: { name: 'x', namespace_id: hidden.id } }), 403);
  const developer = await app.make.user();
  await app.make.member({ group: hidden }, developer.user, 30);
  expectStatus(
    await app.post('/projects', { token: developer.token, json: { name: 'x', namespace_id: hidden.id } }),
    201,
  );
});

test('POST /projects stops at the limit of projects with 403', async () => {
  const one = await app.make.user({ columns: { projects_limit: 1 } });
  expectStatus(await app.post('/projects', { token: one.token, json: { name: 'first' } }), 201);
  const full = expectStatus<Json>(await app.post('/projects', { token: one.token, json: { name: 'second' } }), 403);
  assert.match(String(full.message), /^Your project limit is 1 projects!/);
});

test('POST /projects stops at the limit of projects when many are made at once', async () => {
  const { token, user } = await app.make.user({ columns: { projects_limit: 2 } });
  const names = ['a', 'b', 'c', 'd', 'e'];
  const answers = await Promise.all(names.map((name) => app.post('/projects', { token, json: { name } })));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 201, 403, 403, 403]);
  assert.equal(expectStatus<Json[]>(await app.get(`/users/${user.id}/projects`, { token }), 200).length, 2);
});

test('POST /projects/user/:user_id is for administrators', async () => {
  const { user, token } = await app.make.user();
  expectStatus(await app.post(`/projects/user/${user.id}`, { token, json: { name: 'mine' } }), 403);
  const body = expectStatus<Json>(await app.post(`/projects/user/${user.id}`, { json: { name: 'given' } }), 201);
  assert.equal(body.path_with_namespace, `${user.username}/given`);
  assert.equal(body.creator_id, user.id);
  expectStatus(await app.post('/projects/user/999999', { json: { name: 'x' } }), 404);
});

test('GET /projects/:id shows fewer keys to anonymous callers and hides private projects', async () => {
  const open = await app.make.project({ visibility: 'public' });
  const body = expectStatus<Json>(await app.get(`/projects/${open.id}`, { token: null }), 200);
  for (const key of ['permissions', 'import_url', 'owner', 'runners_token', 'merge_method', 'empty_repo']) {
    assert.ok(!Object.hasOwn(body, key), key);
  }
  const internal = await app.make.project({ visibility: 'internal' });
  expectStatus(await app.get(`/projects/${internal.id}`, { token: null }), 404);
  const { token } = await app.make.user();
  const seen = expectStatus<Json>(await app.get(`/projects/${internal.id}`, { token }), 200);
  assert.deepEqual(seen.permissions, { project_access: null, group_access: null });
  for (const key of ['import_url', 'import_error', 'runners_token', 'repository_storage', 'statistics']) {
    assert.ok(!Object.hasOwn(seen, key), key);
  }
  const hidden = await app.make.project();
  expectStatus(await app.get(`/projects/${hidden.id}`, { token }), 404);
  expectStatus(await app.get(`/projects/${encodeURIComponent(hidden.full_path.toUpperCase())}`), 200);
});

test('GET /projects/:id hides the default branch where the repository is for members only', async () => {
  const project = await app.make.project({
    visibility: 'public',
    columns: {
      repository_access_level: 'private',
      merge_requests_access_level: 'private',
      builds_access_level: 'private',
    },
  });
  const { token } = await app.make.user();
  const stranger = expectStatus<Json>(await app.get(`/projects/${project.id}`, { token }), 200);
  assert.ok(!Object.hasOwn(stranger, 'default_branch'));
  assert.ok(!Object.hasOwn(stranger, 'empty_repo'));
  assert.equal(stranger.merge_requests_enabled, false);
  expectStatus(await app.get(`/projects/${project.id}/languages`, { token }), 403);
  const { reporter } = await app.make.members(project);
  const member = expectStatus<Json>(await app.get(`/projects/${project.id}`, { token: reporter.token }), 200);
  assert.equal(member.default_branch, 'main');
});

test('GET /projects/:id tells the licence and the languages of the default branch', async () => {
  const { token } = await app.make.user();
  const json = { name: 'licensed', initialize_with_readme: true };
  const project = expectStatus<Json>(await app.post('/projects', { token, json }), 201);
  const body = expectStatus<Json>(await app.get(`/projects/${project.id}`, { token, query: { license: true } }), 200);
  assert.equal(body.license, null);
  assert.deepEqual(expectStatus(await app.get(`/projects/${project.id}/languages`, { token }), 200), {});
});

test('HEAD /projects/:id answers with the plain content type', async () => {
  const project = await app.make.project();
  const response = await app.head(`/projects/${project.id}`);
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/json');
});

test('DELETE /projects/:id removes the project at once', async () => {
  const project = await app.make.project();
  const { maintainer, owner } = await app.make.members(project);
  expectStatus(await app.delete(`/projects/${project.id}`, { token: maintainer.token }), 403);
  const stale = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
  expectStatus(await app.delete(`/projects/${project.id}`, { token: owner.token, headers: stale }), 412);
  const wrong = { permanently_remove: true, full_path: 'other' };
  expectStatus(await app.delete(`/projects/${project.id}`, { token: owner.token, query: wrong }), 400);
  assert.deepEqual(expectStatus(await app.delete(`/projects/${project.id}`, { token: owner.token }), 202), {
    message: '202 Accepted',
  });
  expectStatus(await app.get(`/projects/${project.id}`), 404);
  expectStatus(await app.post('/projects', { json: { name: project.name } }), 201);
});

test('POST archive and unarchive are for owners', async () => {
  const project = await app.make.project();
  const { maintainer, owner } = await app.make.members(project);
  expectStatus(await app.post(`/projects/${project.id}/archive`, { token: maintainer.token }), 403);
  const archived = expectStatus<Json>(await app.post(`/projects/${project.id}/archive`, { token: owner.token }), 201);
  assert.equal(archived.archived, true);
  assert.equal(archived.can_create_merge_request_in, false);
  const back = expectStatus<Json>(await app.post(`/projects/${project.id}/unarchive`, { token: owner.token }), 201);
  assert.equal(back.archived, false);
});

test('POST star and unstar count, and answer 304 where nothing changes', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { user, token } = await app.make.user();
  expectStatus(await app.post(`/projects/${project.id}/star`, { token: null }), 401);
  assert.equal(expectStatus<Json>(await app.post(`/projects/${project.id}/star`, { token }), 201).star_count, 1);
  expectStatus(await app.post(`/projects/${project.id}/star`, { token }), 304);
  const starrers = expectStatus<{ user: Json }[]>(
    await app.get(`/projects/${project.id}/starrers`, { token: null }),
    200,
  );
  assert.deepEqual(
    starrers.map((entry) => entry.user.id),
    [user.id],
  );
  assert.deepEqual(
    expectStatus(await app.get(`/projects/${project.id}/starrers`, { token, query: { search: 'nobody' } }), 200),
    [],
  );
  assert.equal(expectStatus<Json>(await app.post(`/projects/${project.id}/unstar`, { token }), 201).star_count, 0);
  expectStatus(await app.post(`/projects/${project.id}/unstar`, { token }), 304);
});

test('GET /projects/:id/storage is for administrators', async () => {
  const project = await app.make.project();
  const { owner } = await app.make.members(project);
  expectStatus(await app.get(`/projects/${project.id}/storage`, { token: owner.token }), 403);
  const body = expectStatus<Json>(await app.get(`/projects/${project.id}/storage`), 200);
  assert.equal(body.disk_path, project.disk_path);
});

test('show_default_award_emojis is on, until it is switched off', async () => {
  const { id } = await app.make.project();
  const shown = async () => expectStatus<Json>(await app.get(`/projects/${id}`), 200).show_default_award_emojis;
  assert.equal(await shown(), true);
  expectStatus(await app.put(`/projects/${id}`, { json: { show_default_award_emojis: false } }), 200);
  assert.equal(await shown(), false);
  const json = { name: 'no-thumbs', show_default_award_emojis: false };
  assert.equal(expectStatus<Json>(await app.post('/projects', { json }), 201).show_default_award_emojis, false);
});

test('repository_storage is chosen by administrators, and passed over from others', async () => {
  const root = mkdtempSync(join(tmpdir(), 'stithy-storages-'));
  const storages = `default=${join(root, 'one')},second=${join(root, 'two')}=0`;
  const other = await buildTestApp({ settings: { STITHY_STORAGES: storages } });
  try {
    const { token } = await other.make.user();
    const post = (name: string, repository_storage: string, options: object = {}) =>
      other.post('/projects', { json: { name, repository_storage }, ...options });
    const made = expectStatus<Json>(await post('chosen', 'second'), 201);
    assert.equal(made.repository_storage, 'second');
    const query = { repository_storage: 'second' };
    const listed = expectStatus<Json[]>(await other.get('/projects', { query }), 200);
    assert.deepEqual(
      listed.map(({ id }) => id),
      [made.id],
    );
    const passedOver = expectStatus<Json>(await post('not-chosen', 'second', { token }), 201);
    assert.equal(Object.hasOwn(passedOver, 'repository_storage'), false);
    assert.equal(expectStatus<Json>(await other.get(`/projects/${passedOver.id}`), 200).repository_storage, 'default');
    const refused = expectStatus<Json>(await post('nowhere', 'third'), 400);
    assert.equal(refused.message, 'repository_storage is not included in the list');
  } finally {
    await other.close();
    rmSync(root, { recursive: true, force: true });
  }
});
