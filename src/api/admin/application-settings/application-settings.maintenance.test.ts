import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { changeSettings } from '../../../../test/support/settings.ts';
import { routes } from '../../../routes.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
let ada: Awaited<ReturnType<TestApp['make']['user']>>;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
});
after(() => app.close());
afterEach(() => set({ maintenance_mode: false, maintenance_mode_message: null }));

const set = (json: Json) => changeSettings(app, json);
const READ_ONLY = 'You cannot perform write operations on a read-only instance';
const NO_PUSH = 'Git push is not allowed because this GitLab instance is currently in (read-only) maintenance mode.';
/** What may be asked although its method is one that changes something. */
const ANSWERED = [
  'POST /api/graphql',
  'POST /oauth/revoke',
  'POST /oauth/token',
  'POST /{address}/info/lfs/objects/batch',
  'PUT /application/settings',
];

test('maintenance: every route that writes refuses everybody, and says why; only settings and sign-in are left', async () => {
  await set({ maintenance_mode: true });
  const answered: string[] = [];
  for (const { options } of routes) {
    if (options.method === 'GET' || options.method === 'HEAD') continue;
    const lfs = options.address !== undefined;
    const path = (options.address ?? options.path).replace(':repository', 'nobody/nothing').replace(/[:*]\w+/g, '1');
    const response = await app.instance.server.app.inject({
      method: options.method,
      url: `${options.root ? '' : '/api/v4'}${path}`,
      headers: { 'PRIVATE-TOKEN': ROOT_TOKEN },
    });
    if (response.statusCode !== 503) {
      answered.push(`${options.method} ${lfs ? options.path.replace(/.*:repository/, '/{address}') : options.path}`);
      continue;
    }
    assert.equal(response.json<Json>().message, READ_ONLY, options.path);
    assert.equal(response.headers['retry-after'], '60');
  }
  assert.deepEqual(answered.sort(), ANSWERED);
});

test('maintenance: reads go on, with and without a token, and administrators alone end it', async () => {
  await set({ maintenance_mode: true, maintenance_mode_message: 'Back at noon.' });
  expectStatus(await app.get('/user', { token: ada.token }), 200);
  expectStatus(await app.get('/projects', { token: null }), 200);
  const json = { title: 'An issue' };
  const refusal = expectStatus(await app.post('/projects/1/issues', { token: ada.token, json }), 503);
  assert.equal(refusal.message, `${READ_ONLY}. Back at noon.`);
  const off = { maintenance_mode: false };
  expectStatus(await app.put('/application/settings', { token: ada.token, json: off }), 403);
  expectStatus(await app.put('/application/settings', { json: off }), 200);
  expectStatus(await app.post('/projects', { token: ada.token, json: { name: 'afterwards' } }), 201);
});

test('maintenance: git clones, and pushes nothing, makes no project, uploads no large file', async () => {
  const git = await GitUser.of(app);
  const project = await app.make.project();
  const address = git.address(project);
  const dir = await git.tree();
  await git.ok(dir, 'push', address, 'main');
  await git.commit(dir, 'more.txt', 'more');
  await set({ maintenance_mode: true, maintenance_mode_message: 'Back at noon.' });
  await git.ok(dir, 'fetch', address, 'main');
  const refusal = `remote: ${NO_PUSH} Back at noon.`;
  assert.ok((await git.fails(dir, 'push', address, 'main')).includes(refusal));
  const made = git.address({ full_path: `root/${project.path}-made` });
  assert.ok((await git.fails(dir, 'push', made, 'main')).includes(refusal));
  const large = (operation: string) =>
    app.instance.server.app.inject({
      method: 'POST',
      url: `/${project.full_path}.git/info/lfs/objects/batch`,
      headers: { authorization: `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}` },
      payload: { operation, objects: [{ oid: 'a'.repeat(64), size: 1 }] },
    });
  assert.equal((await large('download')).statusCode, 200);
  const upload = await large('upload');
  assert.deepEqual([upload.statusCode, upload.json<Json>().message], [503, `${NO_PUSH} Back at noon.`]);
  await set({ maintenance_mode: false });
  assert.equal((await large('upload')).statusCode, 200);
  await git.ok(dir, 'push', address, 'main');
});

test('maintenance: runners get no jobs, schedules wait, and no running job is given up', async () => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  git.commit('main', { '.gitlab-ci.yml': 'a: {script: x}\n' });
  const now = clock.now();
  const at = now.toISOString();
  await app.deps.db
    .insertInto('ci_pipeline_schedules')
    .values({
      ...{ project_id: project.id, owner_id: 1, description: 'Nightly', ref: 'refs/heads/main' },
      ...{ cron: '0 3 * * *', cron_timezone: 'UTC', created_at: at, updated_at: at },
      next_run_at: new Date(now.getTime() + 60_000).toISOString(),
    })
    .execute();
  const { job } = await holdJob(app, project);
  const pipelines = async () =>
    (await app.deps.db.selectFrom('pipelines').select('source').where('project_id', '=', project.id).execute()).filter(
      ({ source }) => source === 'schedule',
    ).length;
  const status = async () => expectStatus<Json>(await app.get(`/projects/${project.id}/jobs/${job.id}`), 200).status;
  const runner = await FakeRunner.make(app);
  await set({ maintenance_mode: true });
  expectStatus(await runner.ask(), 503);
  const pass = async () => {
    await app.deps.jobs.maintain();
    await app.drain();
  };
  clock.advance(20 * 3_600_000);
  await pass();
  assert.deepEqual([await pipelines(), await status()], [0, 'running']);
  await set({ maintenance_mode: false });
  clock.advance(60_000);
  await pass();
  assert.deepEqual([await pipelines(), await status()], [1, 'running']);
  clock.advance(600_000);
  await pass();
  assert.equal(await status(), 'failed');
});
