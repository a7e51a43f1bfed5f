import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { multipart } from '../../../../test/support/multipart.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
let ada: Awaited<ReturnType<TestApp['make']['user']>>;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
});
after(() => app.close());
afterEach(async () => {
  await app.deps.db.deleteFrom('instance_values').where('key', '=', 'application_settings').execute();
  await app.deps.settings.refresh();
});

const set = (json: Json) =>
  app.put('/application/settings', { json }).then((answer) => expectStatus<Json>(answer, 200));

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

test('sizes: attachments, snippets, pages, states and artifacts', async () => {
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

test('a push larger than administrators allow is refused', async () => {
  const git = await GitUser.of(app);
  try {
    const project = await app.make.project();
    const dir = await git.tree();
    await set({ receive_max_input_size: 1 });
    const { randomBytes } = await import('node:crypto');
    await git.commit(dir, 'large', randomBytes(2_000_000).toString('base64'));
    assert.match(await git.fails(dir, 'push', git.address(project), 'main'), /too large|exceeds|maximum/);
    await set({ receive_max_input_size: null });
    await git.ok(dir, 'push', git.address(project), 'main');
  } finally {
    git.close();
  }
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
  const ask = (token: string | null) => app.get('/version', { token });
  const throttle = (kind: string, requests: number) => ({
    [`throttle_${kind}_enabled`]: true,
    [`throttle_${kind}_requests_per_period`]: requests,
    [`throttle_${kind}_period_in_seconds`]: 3_600,
  });
  await set({ ...throttle('authenticated_api', 2), rate_limiting_response_text: 'Slowly, please' });
  for (const status of [200, 200, 429]) {
    const answer = await ask(ada.token);
    assert.equal(answer.statusCode, status);
    assert.equal(answer.headers['ratelimit-name'], 'throttle_authenticated_api');
    if (status === 429) assert.equal(answer.body, 'Slowly, please\n');
  }
  assert.equal((await ask(null)).headers['ratelimit-name'], undefined);
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
