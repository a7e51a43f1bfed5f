import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('topics stand in the order in which they were given, wherever they are shown', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}`;
  const put = async (topics: string[]) => expectStatus<Json>(await app.put(path, { json: { topics } }), 200).topics;
  assert.deepEqual(await put(['zebra', 'apple', 'Mango', 'ZEBRA']), ['zebra', 'apple', 'Mango']);
  assert.deepEqual(await put(['Mango', 'new', 'zebra', 'Été']), ['Mango', 'new', 'zebra', 'Été']);
  const shown = expectStatus<Json>(await app.get(path), 200);
  assert.deepEqual([shown.topics, shown.tag_list], [shown.topics, ['Mango', 'new', 'zebra', 'Été']]);
  const json = { name: 'ordered', topics: ['b', 'a', 'c'] };
  assert.deepEqual(expectStatus<Json>(await app.post('/projects', { json }), 201).topics, ['b', 'a', 'c']);
});

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
  for (const ci_config_path of ['/etc/ci.yml', 'a/../b.yml']) {
    assert.deepEqual((await refused({ ci_config_path })).errors, {
      ci_config_path: ['cannot include leading slash or directory traversal.'],
    });
  }
  assert.deepEqual((await refused({ ci_config_path: 'x'.repeat(256) })).errors, {
    ci_config_path: ['is too long (maximum is 255 characters)'],
  });
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

test('every setting of pipelines is taken, shown and listed', async () => {
  const project = await app.make.project();
  const json = {
    ci_config_path: 'ci/main.yml@tools/ci:main',
    ci_default_git_depth: 5,
    ci_delete_pipelines_in_seconds: 86_400,
    ci_forward_deployment_enabled: false,
    ci_forward_deployment_rollback_allowed: false,
    ci_job_token_scope_enabled: true,
    ci_separated_caches: false,
    ci_allow_fork_pipelines_to_run_in_parent_project: false,
    ci_id_token_sub_claim_components: ['project_path'],
    ci_push_repository_for_job_token_allowed: true,
    ci_pipeline_variables_minimum_override_role: 'owner',
    ci_restrict_pipeline_cancellation_role: 'maintainer',
    build_git_strategy: 'clone',
    build_timeout: 2_592_000,
    keep_latest_artifact: false,
    restrict_user_defined_variables: true,
    runner_token_expiration_interval: 3600,
    resource_group_default_process_mode: 'newest_first',
    auto_cancel_pending_pipelines: 'disabled',
    public_jobs: false,
    only_allow_merge_if_pipeline_succeeds: true,
    allow_merge_on_skipped_pipeline: true,
    max_artifacts_size: 7,
    merge_pipelines_enabled: true,
    group_runners_enabled: false,
    shared_runners_enabled: false,
    builds_access_level: 'private',
  };
  const shown = (body: Json) => Object.fromEntries(Object.keys(json).map((name) => [name, body[name]]));
  const path = `/projects/${project.id}`;
  assert.deepEqual(shown(expectStatus<Json>(await app.put(path, { json }), 200)), json);
  assert.deepEqual(shown(expectStatus<Json>(await app.get(path), 200)), json);
  const list = expectStatus<Json[]>(await app.get('/projects', { query: { search: project.path } }), 200);
  assert.deepEqual(shown(list.find(({ id }) => id === project.id)!), json);
  for (const [name, value] of [
    ['build_timeout', 599],
    ['build_timeout', 2_592_001],
    ['ci_default_git_depth', 1_001],
    ['ci_delete_pipelines_in_seconds', 60],
    ['auto_cancel_pending_pipelines', 'on'],
    ['ci_restrict_pipeline_cancellation_role', 'guest'],
  ] as const) {
    const body = expectStatus<Json>(await app.put(path, { json: { [name]: value } }), 400);
    assert.equal(body.error, `${name} does not have a valid value`);
  }
});

test('what jobs left counts among the statistics once their pipeline is over', async () => {
  const project = await app.make.project();
  const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'a', status: 'running' }] });
  const file = { job_id: jobs.a!.id, project_id: project.id, sha256: 'ab', expire_at: null } as const;
  const rest = { file_format: 'zip', accessibility: 'all', created_at: project.created_at, filename: 'x' } as const;
  await app.deps.db
    .insertInto('ci_job_artifacts')
    .values([
      { ...file, ...rest, file_type: 'archive', size: 1_000 },
      { ...file, ...rest, file_type: 'junit', size: 234 },
    ])
    .execute();
  await finishJob(app.deps, jobs.a!.id, { status: 'success' });
  await app.drain();
  await app.deps.jobs.drain(120_000);
  const { statistics } = expectStatus<{ statistics: Json }>(
    await app.get(`/projects/${project.id}?statistics=true`),
    200,
  );
  assert.deepEqual([statistics.job_artifacts_size, statistics.storage_size], [1_234, 1_234]);
});

test('older names of settings and parts are taken, and told where the platform tells them', async () => {
  const { id } = await app.make.project();
  // The old name is only taken: clients that know both read it as a setting of its own.
  const seen = (body: Json) => [body.public_jobs, 'public_builds' in body];
  const put = async (json: Json, status = 200) =>
    expectStatus<Json>(await app.put(`/projects/${id}`, { json }), status);
  const first = expectStatus<Json>(await app.get(`/projects/${id}`), 200);
  assert.deepEqual([first.ci_opt_in_jwt, first.pre_receive_secret_detection_enabled], [true, false]);
  assert.deepEqual([first.operations_access_level, first.build_coverage_regex], ['enabled', null]);
  assert.deepEqual(seen(await put({ public_builds: false })), [false, false]);
  assert.deepEqual(seen(await put({ public_jobs: true })), [true, false]);
  const parts = ['monitor', 'environments', 'feature_flags', 'infrastructure'];
  const levels = (body: Json) => ['operations', ...parts].map((part) => body[`${part}_access_level`]);
  const operations_access_level = 'private';
  assert.deepEqual(levels(await put({ operations_access_level })), Array(5).fill('private'));
  const one = await put({ operations_access_level, environments_access_level: 'disabled' });
  assert.deepEqual(levels(one), ['disabled', 'private', 'disabled', 'private', 'private']);
  await put({ operations_access_level: 'public' }, 400);
  const json = { name: 'older-names', operations_access_level: 'disabled', build_coverage_regex: '\\d+%' };
  const made = expectStatus<Json>(await app.post('/projects', { json }), 201);
  assert.deepEqual([levels(made), made.build_coverage_regex], [Array(5).fill('disabled'), '\\d+%']);
  assert.match(
    String((await put({ build_coverage_regex: '(' }, 400)).message),
    /^build_coverage_regex must be an RE2 regular/,
  );
  assert.equal((await put({ build_coverage_regex: '\\d+' })).build_coverage_regex, '\\d+');
});

test('a policy for container images tells when it is applied next while it is on', async () => {
  const { id } = await app.make.project();
  const put = async (json: Json) =>
    expectStatus<{ container_expiration_policy: { next_run_at: string | null } }>(
      await app.put(`/projects/${id}`, { json: { container_expiration_policy_attributes: json } }),
      200,
    ).container_expiration_policy.next_run_at;
  assert.equal(await put({ enabled: false }), null);
  for (const [cadence, days] of Object.entries({ '1d': 1, '7d': 7, '14d': 14, '1month': 30, '3month': 90 })) {
    const next = Date.parse((await put({ enabled: true, cadence }))!) - app.deps.clock.now().getTime();
    assert.ok(next > 0 && next <= days * 86_400_000, `${cadence}: ${next}`);
  }
  assert.equal(await put({ enabled: false }), null);
  const json = { container_expiration_policy_attributes: { cadence: '2d' } };
  expectStatus(await app.put(`/projects/${id}`, { json }), 400);
});
