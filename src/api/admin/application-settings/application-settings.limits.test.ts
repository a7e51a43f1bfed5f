import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import { hashPassword } from '../../../core/core.secrets.ts';

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
/** Asks for an address beside the API. */
const ask = (url: string, headers: Record<string, string> = {}) => app.instance.server.app.inject({ url, headers });
const throttle = (kind: string, requests: number) => ({
  [`throttle_${kind}_enabled`]: true,
  [`throttle_${kind}_requests_per_period`]: requests,
  [`throttle_${kind}_period_in_seconds`]: 3_600,
});

test('tokens: what they begin with, and how long they last', async () => {
  const make = (json: Json = {}) =>
    app.post(`/users/${ada.user.id}/personal_access_tokens`, { json: { name: 'a', scopes: ['api'], ...json } });
  await set({ personal_access_token_prefix: 'forge-', max_personal_access_token_lifetime: 30 });
  const token = expectStatus<Json>(await make(), 201);
  assert.match(String(token.token), /^forge-\w{20,}/);
  assert.equal(token.expires_at, '2026-07-15');
  expectStatus(await app.get('/user', { token: String(token.token) }), 200);
  assert.deepEqual(expectStatus<Json>(await make({ expires_at: '2026-07-16' }), 400).errors, {
    expires_at: ['must be before 2026-07-16'],
  });
  const rotated = expectStatus<Json>(
    await app.post('/personal_access_tokens/self/rotate', { token: String(token.token), json: { expires_at: null } }),
    200,
  );
  assert.match(String(rotated.token), /^forge-/);
  await set({ max_personal_access_token_lifetime: null, require_personal_access_token_expiry: false });
  const endless = expectStatus<Json>(await make(), 201);
  assert.equal(endless.expires_at, null);
  clock.advance(400 * 86_400_000);
  expectStatus(await app.get('/user', { token: String(endless.token) }), 200);
});

test('passwords are refused from git, and tokens are taken', async () => {
  const { full_path } = await app.make.project({ visibility: 'private' });
  const password_hash = await hashPassword('correct horse', app.deps.config.passwordHash);
  const { user } = await app.make.user({ admin: true, columns: { password_hash } });
  const fetch = async (name: string, secret: string) => {
    const authorization = `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
    return (await ask(`/${full_path}.git/info/refs?service=git-upload-pack`, { authorization })).statusCode;
  };
  assert.equal(await fetch(user.username, 'correct horse'), 200);
  await set({ password_authentication_enabled_for_git: false });
  assert.equal(await fetch(user.username, 'correct horse'), 401);
  assert.equal(await fetch('root', ROOT_TOKEN), 200);
});

test('administrators need a second factor, or a token', async () => {
  await set({ password_authentication_enabled_for_git: true, require_admin_two_factor_authentication: true });
  const { full_path } = await app.make.project({ visibility: 'public' });
  const password_hash = await hashPassword('correct horse', app.deps.config.passwordHash);
  const sign = async (admin: boolean) => {
    const { user, token } = await app.make.user({ admin, columns: { password_hash } });
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${user.username}:${secret}`).toString('base64')}`,
    });
    const git = (secret: string) => ask(`/${full_path}.git/info/refs?service=git-upload-pack`, basic(secret));
    const json = { grant_type: 'password', username: user.username, password: 'correct horse' };
    const byPassword = await git('correct horse');
    const oauth = await app.post('/oauth/token', { token: null, json });
    return { byPassword, statuses: [byPassword.statusCode, (await git(token)).statusCode, oauth.statusCode] };
  };
  const { byPassword, statuses } = await sign(true);
  assert.deepEqual(statuses, [403, 200, 400]);
  assert.match(byPassword.body, /Two-factor authentication is required for administrators/);
  assert.deepEqual((await sign(false)).statuses, [200, 200, 200]);
  await set({ require_admin_two_factor_authentication: false });
  assert.deepEqual((await sign(true)).statuses, [200, 200, 200]);
});

test('sizes: attachments, snippets, pages and states', async () => {
  await set({ max_attachment_size: 1, snippet_size_limit: 10, wiki_page_max_content_bytes: 1_024 });
  const project = await app.make.project();
  const upload = async (bytes: number) => {
    const { body, headers } = multipart({}, { field: 'file', name: 'a.bin', bytes: Buffer.alloc(bytes) });
    return app.post(`/projects/${project.id}/uploads`, { body, headers });
  };
  expectStatus(await upload(1_048_576), 201);
  expectStatus(await upload(1_048_577), 413);
  const snippet = (content: string) => app.post('/snippets', { json: { title: 'A', file_name: 'a', content } });
  expectStatus(await snippet('0123456789'), 201);
  expectStatus(await snippet('0123456789a'), 400);
  const page = (title: string, bytes: number) =>
    app.post(`/projects/${project.id}/wikis`, { json: { title, content: 'a'.repeat(bytes) } });
  expectStatus(await page('small', 1_024), 201);
  assert.deepEqual(expectStatus<Json>(await page('large', 1_025), 400).errors, {
    content: ['is too long (1 KiB). The maximum size is 1 KiB.'],
  });
  await set({ max_terraform_state_size_bytes: 60 });
  const state = (lineage: string) =>
    app.post(`/projects/${project.id}/terraform/state/a`, { json: { version: 4, serial: 1, lineage } });
  expectStatus(await state('a'), 200);
  expectStatus(await state('a'.repeat(60)), 413);
});

test('artifacts: their size, and how long they are kept where nobody says', async () => {
  const project = await app.make.project();
  const upload = async (bytes: number, query = {}) => {
    const held = await holdJob(app, project);
    const archive = await zipOf({ 'out/a.bin': randomBytes(bytes) });
    const { statusCode } = await uploadArtifact(app, held, archive, query);
    const artifacts = await app.deps.db
      .selectFrom('ci_job_artifacts')
      .select('expire_at')
      .where('job_id', '=', held.job.id)
      .execute();
    const days = (at: string | null) => at && (Date.parse(at) - clock.now().getTime()) / 86_400_000;
    return [statusCode, ...artifacts.map(({ expire_at }) => days(expire_at))];
  };
  await set({ max_artifacts_size: 1, default_artifacts_expire_in: '2 days' });
  assert.deepEqual(await upload(1_048_576), [413]);
  assert.deepEqual(await upload(1_000_000), [201, 2]);
  assert.deepEqual(await upload(1, { expire_in: '3 days' }), [201, 3]);
  await set({ max_artifacts_size: 2, default_artifacts_expire_in: '0' });
  assert.deepEqual(await upload(1_048_576), [201, null]);
});

test('a push larger than administrators allow is refused', async () => {
  const git = await GitUser.of(app);
  const project = await app.make.project();
  const dir = await git.tree();
  await set({ receive_max_input_size: 1 });
  await git.commit(dir, 'large', randomBytes(2_000_000).toString('base64'));
  assert.match(await git.fails(dir, 'push', git.address(project), 'main'), /too large|exceeds|maximum/);
  await set({ receive_max_input_size: null });
  await git.ok(dir, 'push', git.address(project), 'main');
});

test('imports by URL only where git is among the sources, and into the local network where that is allowed', async () => {
  await set({ import_sources: ['gitlab_project'] });
  const make = (json: Json) => app.post('/projects', { json: { name: 'imported', ...json } });
  const address = 'http://127.0.0.1:9999/a.git';
  expectStatus(await make({ import_url: address }), 403);
  await set({ import_sources: ['git'] });
  assert.deepEqual(expectStatus<Json>(await make({ import_url: address }), 422).errors, {
    import_url: ['is blocked: Requests to localhost are not allowed'],
  });
  await set({ allow_local_requests_from_web_hooks_and_services: true });
  expectStatus(await make({ import_url: address }), 201);
});

test('a repository larger than administrators allow is not imported', async () => {
  const source = await app.make.project({ visibility: 'public' });
  new ProjectGit(app, source).commit('main', { large: randomBytes(1_500_000).toString('base64') });
  const import_url = `${await app.listen()}/${source.full_path}.git`;
  const outcome = async (max_import_size: number) => {
    await set({ max_import_size, allow_local_requests_from_web_hooks_and_services: true });
    const json = { name: `at most ${max_import_size}`, import_url };
    const { id } = expectStatus<Json>(await app.post('/projects', { json }), 201);
    await app.drain();
    return expectStatus<Json>(await app.get(`/projects/${id}`), 200).import_status;
  };
  assert.equal(await outcome(1), 'failed');
  assert.equal(await outcome(3), 'finished');
  assert.equal(await outcome(0), 'finished');
});

test('new projects: runners of the server, and where the configuration stands', async () => {
  await set({ shared_runners_enabled: false, default_ci_config_path: 'ci/main.yml' });
  const make = async (json: Json) => {
    const made = expectStatus<Json>(await app.post('/projects', { json }), 201);
    return [made.shared_runners_enabled, made.ci_config_path];
  };
  assert.deepEqual(await make({ name: 'one' }), [false, 'ci/main.yml']);
  assert.deepEqual(await make({ name: 'two', shared_runners_enabled: true, ci_config_path: '' }), [true, '']);
});

test('requests: throttles are put in force at once, with a text of their own', async () => {
  const version = (token: string | null) => app.get('/version', { token });
  await set({ ...throttle('authenticated_api', 2), rate_limiting_response_text: 'Slowly, please' });
  for (const status of [200, 200, 429]) {
    const response = await version(ada.token);
    assert.equal(response.statusCode, status);
    assert.equal(response.headers['ratelimit-name'], 'throttle_authenticated_api');
    if (status === 429) assert.equal(response.body, 'Slowly, please\n');
  }
  assert.equal((await version(null)).headers['ratelimit-name'], undefined);
});

test('requests: web addresses and git are counted by themselves', async () => {
  const project = await app.make.project({ visibility: 'public' });
  new ProjectGit(app, project).commit('main', { a: '1' });
  const web = `/${project.full_path}/-/archive/main/x.zip`;
  const git = `/${project.full_path}.git/info/refs?service=git-upload-pack`;
  const basic = `Basic ${Buffer.from(`ada:${ada.token}`).toString('base64')}`;
  for (const [kind, url, headers] of [
    ['unauthenticated_web', web, {}],
    ['authenticated_web', web, { 'private-token': ada.token }],
    ['unauthenticated_git_http', git, {}],
    ['authenticated_git_http', git, { authorization: basic }],
  ] as const) {
    await set(throttle(kind, 1));
    for (const status of [200, 429]) {
      const response = await ask(url, headers);
      assert.deepEqual([response.statusCode, response.headers['ratelimit-name']], [status, `throttle_${kind}`]);
    }
    await set({ [`throttle_${kind}_enabled`]: false });
    assert.equal((await ask(url, headers)).statusCode, 200, kind);
  }
});

test('runners: what they ask for, pieces of logs and other requests of a job in a minute', async () => {
  await makePipeline(app, await app.make.project(), { jobs: [{ name: 'build', status: 'pending' }] });
  const runner = await FakeRunner.make(app);
  await set({
    runner_jobs_request_api_limit: 1,
    runner_jobs_patch_trace_api_limit: 2,
    runner_jobs_endpoints_api_limit: 3,
  });
  const job = await runner.take();
  assert.equal((await runner.ask()).statusCode, 429);
  const pieces = [await job.patchTrace('a'), await job.patchTrace('b'), await job.patchTrace('c')];
  assert.deepEqual(
    pieces.map(({ statusCode }) => statusCode),
    [202, 202, 429],
  );
  const updateStatus = async () => (await job.update('running')).statusCode;
  assert.deepEqual(
    [await updateStatus(), await updateStatus(), await updateStatus(), await updateStatus()],
    [200, 200, 200, 429],
  );
  await set({ runner_jobs_endpoints_api_limit: 0 });
  assert.equal(await updateStatus(), 200);
});

test('look-ups of users by their e-mail addresses by a user in a minute', async () => {
  const { user } = await app.make.user();
  const look = (search: string, token = ada.token) => app.get('/users', { token, query: { search } });
  for (let n = 0; n < 3; n += 1) expectStatus(await look(user.email), 200);
  await set({ user_email_lookup_limit: 2 });
  for (const status of [200, 200, 429]) expectStatus(await look(user.email), status);
  expectStatus(await look(user.username), 200);
  expectStatus(await app.get('/users', { query: { search: user.email } }), 200);
  await set({ user_email_lookup_limit: 0 });
  expectStatus(await look(user.email), 200);
});

test('actions: issues and comments in a minute, users that one looks up', async () => {
  const project = await app.make.project({ visibility: 'public' });
  await set({ issues_create_limit: 1, notes_create_limit: 1, users_get_by_id_limit: 1 });
  const issue = () => app.post(`/projects/${project.id}/issues`, { json: { title: 'A' }, token: ada.token });
  const { iid } = expectStatus<Json>(await issue(), 201);
  expectStatus(await issue(), 429);
  const note = () => app.post(`/projects/${project.id}/issues/${iid}/notes`, { json: { body: 'A' }, token: ada.token });
  expectStatus(await note(), 201);
  expectStatus(await note(), 429);
  const look = () => app.get('/users/1', { token: ada.token });
  expectStatus(await look(), 200);
  expectStatus(await look(), 429);
  await set({ users_get_by_id_limit_allowlist_raw: ada.user.username });
  expectStatus(await look(), 200);
  await set({ issues_create_limit: 0 });
  expectStatus(await issue(), 201);
});
