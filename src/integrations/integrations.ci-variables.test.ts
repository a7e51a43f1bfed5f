import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { makePipeline } from '../../test/support/pipelines.ts';
import { jobVariables } from '../pipelines/variables/job-variables.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** What a job of a project with an integration has of it in its environment. */
async function variablesOf(slug: string, json: object, isProtected: boolean) {
  const project = await app.make.project();
  expectStatus(await app.put(`/projects/${project.id}/integrations/${slug}`, { json }), 200);
  const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'build' }] });
  const job = { ...jobs.build!, protected: isProtected ? (1 as const) : (0 as const) };
  const all = await jobVariables(app.deps, app.deps.db, job, { token: 'x', runner: null });
  return all
    .filter(({ key }) => /^(HARBOR|APP_STORE|SUPPLY|DIFFBLUE)_/.test(key))
    .map(({ key, value, masked = false }) => [key, value, masked]);
}

test('jobs have what harbor was set up with, and nothing of it is expanded', async () => {
  const json = { url: 'https://harbor.example', project_name: 'app', username: 'robot$app', password: 'p$CI_JOB_ID' };
  assert.deepEqual(await variablesOf('harbor', json, false), [
    ['HARBOR_URL', 'https://harbor.example', false],
    ['HARBOR_HOST', 'harbor.example', false],
    ['HARBOR_OCI', 'oci://harbor.example', false],
    ['HARBOR_PROJECT', 'app', false],
    ['HARBOR_USERNAME', 'robot$app', false],
    ['HARBOR_PASSWORD', 'p$CI_JOB_ID', true],
  ]);
});

test('jobs on protected refs alone have keys of stores, unless it is said otherwise', async () => {
  const json = { package_name: 'app', service_account_key_file_name: 'key.json', service_account_key: '{"a":1}' };
  const whole = [
    ['SUPPLY_PACKAGE_NAME', 'app', false],
    ['SUPPLY_JSON_KEY_DATA', '{"a":1}', true],
  ];
  assert.deepEqual(await variablesOf('google-play', json, true), whole);
  assert.deepEqual(await variablesOf('google-play', json, false), []);
  assert.deepEqual(await variablesOf('google-play', { ...json, google_play_protected_refs: false }, false), whole);
  const apple = {
    app_store_issuer_id: 'i',
    app_store_key_id: 'k',
    app_store_private_key_file_name: 'k.p8',
    app_store_private_key: 'sesame',
  };
  assert.deepEqual(await variablesOf('apple-app-store', apple, false), []);
  assert.deepEqual((await variablesOf('apple-app-store', apple, true)).at(-1), [
    'APP_STORE_CONNECT_API_KEY_KEY',
    Buffer.from('sesame').toString('base64'),
    true,
  ]);
});

test('jobs have the licence of diffblue cover', async () => {
  const json = {
    diffblue_license_key: 'l',
    diffblue_access_token_name: 'n',
    diffblue_access_token_secret: 's',
  };
  assert.deepEqual(await variablesOf('diffblue-cover', json, false), [
    ['DIFFBLUE_ACCESS_TOKEN_NAME', 'n', false],
    ['DIFFBLUE_LICENSE_KEY', 'l', true],
    ['DIFFBLUE_ACCESS_TOKEN', 's', true],
  ]);
});
