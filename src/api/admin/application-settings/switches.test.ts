import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
let ada: Awaited<ReturnType<TestApp['make']['user']>>;
let group: Json;
let project: Json;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
  group = expectStatus<Json>(await app.post('/groups', asAda({ name: 'Tools', path: 'tools' })), 201);
  project = expectStatus<Json>(await app.post('/projects', asAda({ name: 'app', namespace_id: group.id })), 201);
});
after(() => app.close());
afterEach(async () => {
  await app.deps.db.deleteFrom('instance_values').where('key', '=', 'application_settings').execute();
  await app.deps.settings.refresh();
});

const set = (json: Json) =>
  app.put('/application/settings', { json }).then((response) => expectStatus<Json>(response, 200));
const asAda = (json: Json) => ({ json, token: ada.token });
const tokenOf = async (place: string) =>
  expectStatus<Json>(await app.get(place, { token: ada.token }), 200).runners_token as string | null;

test('runners: registration tokens let nobody in, and are shown to nobody, where that is switched off', async () => {
  const places = [`/projects/${project.id}`, `/groups/${group.id}`];
  const tokens = await Promise.all(places.map(tokenOf));
  const register = (token: unknown) => app.post('/runners', { token: null, json: { token } });
  for (const token of tokens) expectStatus(await register(token), 201);
  await set({ allow_runner_registration_token: false });
  for (const token of tokens) {
    assert.equal(expectStatus(await register(token), 410).message, '410 Gone - runner registration disallowed');
  }
  assert.deepEqual(await Promise.all(places.map(tokenOf)), [null, null]);
  await set({ allow_runner_registration_token: true });
  assert.deepEqual(await Promise.all(places.map(tokenOf)), tokens);
});

test('runners: made for groups and projects only where administrators let others make them', async () => {
  const [ofProject, ofGroup] = [await tokenOf(`/projects/${project.id}`), await tokenOf(`/groups/${group.id}`)];
  const register = (token: unknown) => app.post('/runners', { token: null, json: { token } });
  const inProject = { runner_type: 'project_type', project_id: project.id };
  const inGroup = { runner_type: 'group_type', group_id: group.id };
  await set({ valid_runner_registrars: ['group'] });
  assert.equal(expectStatus(await register(ofProject), 403).message, '403 Forbidden - invalid token supplied');
  expectStatus(await register(ofGroup), 201);
  const refused = expectStatus(await app.post('/user/runners', asAda(inProject)), 403);
  assert.equal(refused.message, '403 Forbidden - Insufficient permissions');
  expectStatus(await app.post('/user/runners', asAda(inGroup)), 201);
  expectStatus(await app.post('/user/runners', { json: inProject }), 201);
  await set({ valid_runner_registrars: [] });
  expectStatus(await register(ofGroup), 403);
  expectStatus(await app.post('/user/runners', asAda(inGroup)), 403);
});

test('runners: how long their tokens last, by the kind of runner; a project may say less', async () => {
  await set({
    runner_token_expiration_interval: 10_000,
    group_runner_token_expiration_interval: 20_000,
    project_runner_token_expiration_interval: 30_000,
  });
  const lasts = async (json: Json) => {
    const { token_expires_at } = expectStatus<Json>(await app.post('/user/runners', { json }), 201);
    return (Date.parse(String(token_expires_at)) - clock.now().getTime()) / 1_000;
  };
  assert.equal(await lasts({ runner_type: 'instance_type' }), 10_000);
  assert.equal(await lasts({ runner_type: 'group_type', group_id: group.id }), 20_000);
  const ofProject = { runner_type: 'project_type', project_id: project.id };
  assert.equal(await lasts(ofProject), 30_000);
  expectStatus(await app.put(`/projects/${project.id}`, asAda({ runner_token_expiration_interval: 7_500 })), 200);
  assert.equal(await lasts(ofProject), 7_500);
});

test('artifacts: the last ones are kept only where the server keeps them', async () => {
  const row = await app.make.project();
  const locked = async () => {
    const job = { name: 'a', status: 'success' as const };
    const { pipeline } = await makePipeline(app, row, { jobs: [job], columns: { status: 'success' } });
    const payload = { pipeline_id: pipeline.id, project_id: row.id, status: 'success', source: pipeline.source };
    await app.deps.db
      .transaction()
      .execute((db) => app.deps.events.record(db, 'pipeline.updated', payload as never, { projectId: row.id }));
    await app.drain();
    const lockedQuery = app.deps.db.selectFrom('pipelines').select('locked').where('id', '=', pipeline.id);
    return (await lockedQuery.executeTakeFirstOrThrow()).locked;
  };
  const shown = async () => expectStatus<Json>(await app.get(`/projects/${row.id}`), 200).keep_latest_artifact;
  assert.deepEqual([await locked(), await shown()], [1, true]);
  await set({ keep_latest_artifact: false });
  assert.deepEqual([await locked(), await shown()], [0, false]);
});

test('mirrors: set up by administrators alone where they say so', async () => {
  const make = (token?: string) =>
    app.post(`/projects/${project.id}/remote_mirrors`, {
      json: { url: 'https://1.1.1.1/a.git' },
      ...(token === undefined ? {} : { token }),
    });
  expectStatus(await make(ada.token), 201);
  await set({ mirror_available: false });
  const text = '403 Forbidden - Only administrators can set up mirrors.';
  assert.equal(expectStatus(await make(ada.token), 403).message, text);
  const pull = asAda({ url: 'https://1.1.1.1/a.git' });
  assert.equal(expectStatus(await app.put(`/projects/${project.id}/mirror/pull`, pull), 403).message, text);
  const change = asAda({ mirror: true, import_url: 'https://1.1.1.1/a.git' });
  assert.equal(expectStatus(await app.put(`/projects/${project.id}`, change), 403).message, text);
  expectStatus(await app.get(`/projects/${project.id}/remote_mirrors`, { token: ada.token }), 200);
  expectStatus(await make(), 201);
});

test('personal access tokens: neither made nor used; those of projects and service accounts go on', async () => {
  const { token: ofProject } = expectStatus<Json>(
    await app.post(`/projects/${project.id}/access_tokens`, asAda({ name: 'bot', scopes: ['api'], access_level: 30 })),
    201,
  );
  const { token: acting } = expectStatus<Json>(
    await app.post(`/users/${ada.user.id}/impersonation_tokens`, { json: { name: 'as Ada', scopes: ['api'] } }),
    201,
  );
  await set({ disable_personal_access_tokens: true });
  const refused = expectStatus<Json>(await app.get('/user', { token: ada.token }), 401);
  assert.equal(refused.message, 'Personal access tokens are disabled on this server.');
  expectStatus(await app.get('/user'), 401);
  expectStatus(await app.get(`/projects/${project.id}`, { token: String(ofProject) }), 200);
  expectStatus(await app.get('/user', { token: String(acting) }), 200);
  const json = { name: 'own', scopes: ['k8s_proxy'] };
  expectStatus(await app.post('/user/personal_access_tokens', { token: String(acting), json }), 403);
});

test('invitations: only of addresses that may come', async () => {
  const invite = async (email: string) => {
    const response = await app.post(`/groups/${group.id}/invitations`, asAda({ email, access_level: 10 }));
    return expectStatus<{ message?: Json }>(response, 201).message?.[email];
  };
  const text = 'Invite email is not allowed for this group. Check with your administrator.';
  await set({ domain_allowlist: ['forge.example', '*.forge.example'] });
  assert.equal(await invite('a@elsewhere.example'), text);
  assert.equal(await invite('a@FORGE.example'), undefined);
  assert.equal(await invite('a@north.forge.example'), undefined);
  await set({ domain_allowlist: [], domain_denylist: ['*.bad.example'], domain_denylist_enabled: true });
  assert.equal(await invite('b@very.bad.example'), text);
  await set({ domain_denylist_enabled: false, email_restrictions: '\\+', email_restrictions_enabled: true });
  assert.equal(await invite('b@very.bad.example'), undefined);
  assert.equal(await invite('c+more@forge.example'), text);
  const made = { username: 'made', name: 'Made', email: 'd+more@forge.example', force_random_password: true };
  expectStatus(await app.post('/users', { json: made }), 201);
});
