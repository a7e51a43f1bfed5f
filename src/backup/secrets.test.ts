import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { emptyPlace } from '../../test/support/backups.ts';
import { type HookReceiver, receiveHooks } from '../../test/support/hook-receiver.ts';
import { makeHook } from '../../test/support/hooks.ts';
import { systemClock } from '../core/clock.ts';
import { silentLogger } from '../core/logger.ts';
import { SECRETS_KEY } from '../core/secret-box.ts';
import { openStored } from '../core/stored-secret.ts';
import type { Deps } from '../deps.ts';
import { openSettings } from '../integrations/integrations.settings.ts';
import { importUrlOf, mirrorUrlOf } from '../mirroring/stored-address.ts';
import { open } from '../start.ts';
import { openSecrets } from '../webhooks/hook-secrets.ts';
import { restoreBackup } from './backup.restore.ts';
import { makeBackup } from './backup.ts';
import { snapshotsIn } from './layout.ts';

type Json = Record<string, unknown>;
const cleanUps: (() => Promise<unknown>)[] = [];
let app: TestApp;
let receiver: HookReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  receiver = await receiveHooks();
});
after(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  await app.close();
  await receiver.close();
});

/** Gives the server every kind of secret that it stores, each containing `sesame`. */
async function giveSecrets() {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const at = `/projects/${project.id}`;
  const post = async (path: string, json: Json, status = 201) =>
    expectStatus<Json>(await app.post(path, { json }), status);
  const put = async (path: string, json: Json) => expectStatus<Json>(await app.put(path, { json }), 200);
  for (const [path, key] of [
    [`${at}/variables`, 'PROJECT'],
    [`/groups/${group.id}/variables`, 'GROUP'],
    ['/admin/ci/variables', 'INSTANCE'],
  ] as const) {
    await post(path, { key, value: `sesame-${key}` });
  }
  await post(`${at}/variables`, { key: 'CERT', value: 'sesame-CERT', variable_type: 'file' });
  await put(`${at}/variables/PROJECT`, { value: 'sesame-PROJECT-changed' });
  const config = 'ask:\n  script: x\n  when: manual\n';
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }];
  await post(`${at}/repository/commits`, { branch: 'main', commit_message: 'CI', actions });
  const schedule = await post(`${at}/pipeline_schedules`, { description: 'x', ref: 'main', cron: '0 1 * * *' });
  await post(`${at}/pipeline_schedules/${schedule.id}/variables`, { key: 'SCHEDULE', value: 'sesame-SCHEDULE' });
  await makeHook(app, at, {
    url: `${receiver.url}/{path}`.replace('//', '//ann:sesame-basic@'),
    url_variables: [{ key: 'path', value: 'sesame-path' }],
    token: 'sesame-token',
    custom_headers: [{ key: 'X-Key', value: 'sesame-header' }],
    pipeline_events: true,
    custom_webhook_template: '{"variables": {{object_attributes.status}}}',
  });
  await makeHook(app, at, { url: receiver.url, pipeline_events: true });
  const pipeline = await post(`${at}/pipeline`, { ref: 'main', variables: [{ key: 'PIPE', value: 'sesame-PIPE' }] });
  const [job] = expectStatus<Json[]>(await app.get(`${at}/pipelines/${pipeline.id}/jobs`), 200);
  const played = { job_variables_attributes: [{ key: 'PLAYED', value: 'sesame-PLAYED' }] };
  await post(`${at}/jobs/${job!.id}/play`, played, 200);
  await put(`${at}/integrations/slack`, { webhook: `${receiver.url}/sesame-slack`, pipeline_events: true });
  const url = 'http://ann:sesame-push@127.0.0.1:9009/x.git';
  const mirror = await post(`${at}/remote_mirrors`, { url });
  await put(`${at}/remote_mirrors/${mirror.id}`, { url: url.replace('push', 'push-changed') });
  await put(`${at}/mirror/pull`, {
    url: 'http://127.0.0.1:9009/x.git',
    auth_user: 'ann',
    auth_password: 'sesame-pull',
  });
  await post(`${at}/external_status_checks`, {
    name: 'x',
    external_url: 'https://check.example',
    shared_secret: 'sesame-check',
  });
  await app.drain();
  return {
    at,
    pipeline: Number(pipeline.id),
    project: project.id,
    schedule: Number(schedule.id),
    job: Number(job!.id),
  };
}

type HeldSecrets = Awaited<ReturnType<typeof giveSecrets>>;

/** The secrets as the server uses them, by kind. */
async function secretsOf(deps: Deps, get: (path: string) => Promise<unknown>, held: HeldSecrets) {
  const { db, secrets } = deps;
  const values = async (path: string) =>
    ((await get(path)) as { key: string; value: string }[]).map(({ value }) => value);
  const one = { project: held.project, pipeline: held.pipeline };
  const project = await db.selectFrom('projects').selectAll().where('id', '=', one.project).executeTakeFirstOrThrow();
  const mirror = await db.selectFrom('remote_mirrors').selectAll().executeTakeFirstOrThrow();
  const check = await db.selectFrom('external_status_checks').selectAll().executeTakeFirstOrThrow();
  const ofJob = await db.selectFrom('ci_job_variables').selectAll().executeTakeFirstOrThrow();
  return {
    project: await values(`${held.at}/variables`),
    instance: await values('/admin/ci/variables'),
    schedule: ((await get(`${held.at}/pipeline_schedules/${held.schedule}`)) as { variables: Json[] }).variables,
    pipeline: await values(`${held.at}/pipelines/${one.pipeline}/variables`),
    job: openStored(secrets, ofJob.value, 'ci_job_variables.value'),
    pull: importUrlOf(deps, project),
    push: mirrorUrlOf(deps, mirror),
    check: openStored(secrets, check.shared_secret, 'external_status_checks.shared_secret'),
    hooks: (await db.selectFrom('web_hooks').selectAll().orderBy('id').execute()).map((row) => openSecrets(deps, row)),
    integrations: (await db.selectFrom('integrations').selectAll().execute()).map((row) => openSettings(deps, row)),
  };
}

test('no secret stands in the database, and a backup brings the key along with which a restored server reads all', async () => {
  const held = await giveSecrets();
  const read = async (path: string) => expectStatus<unknown>(await app.get(path), 200);
  const here = await secretsOf(app.deps, read, held);
  assert.equal(JSON.stringify(here).match(/sesame/g)?.length, 14, JSON.stringify(here));
  const folder = await mkdtemp(join(tmpdir(), 'stithy-secrets-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const { config, database } = app.deps;
  const { name } = await makeBackup({ config, database, clock: systemClock, folder, onProgress: () => {} });
  const snapshot = join(snapshotsIn(folder), name);
  const lines = gunzipSync(await readFile(join(snapshot, 'database.jsonl.gz'))).toString();
  assert.deepEqual(
    lines.split('\n').filter((line) => line.includes('sesame')),
    [],
  );
  if (config.database.kind === 'sqlite') {
    for (const file of [config.database.path, `${config.database.path}-wal`]) {
      if (existsSync(file)) assert.ok(!(await readFile(file)).includes('sesame'), file);
    }
  }
  const key = await readFile(join(config.dataDir, SECRETS_KEY), 'utf8');
  assert.equal(await readFile(join(snapshot, SECRETS_KEY), 'utf8'), key);

  const place = await emptyPlace('same', cleanUps);
  await restoreBackup({ config: place, clock: systemClock, folder, name: null, onProgress: () => {} });
  const restored = await open(place, silentLogger);
  cleanUps.push(() => restored.close());
  const there = await secretsOf(
    restored.deps,
    async (path) => {
      const answer = await restored.server.app.inject({
        url: `/api/v4${path}`,
        headers: { 'private-token': ROOT_TOKEN },
      });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json();
    },
    held,
  );
  assert.deepEqual(there, here);
});
