import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { storedText } from '../../../core/stored-secret.ts';
import { jobVariables } from '../../../pipelines/variables/job-variables.ts';

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_EXTERNAL_URL: 'https://forge.example' } });
});
after(() => app.close());

const keys = async (path: string) =>
  expectStatus<{ keys: { kty: string; e: string; n: string; kid: string }[] }>(
    await app.get(path, { token: null }),
    200,
  ).keys;

test('a job gets the ID tokens that it asks for, and anybody can check them', async () => {
  const project = await app.make.project();
  const idTokens = { VAULT: { aud: ['https://vault.example'] }, TWO: { aud: ['a', '$CI_PROJECT_PATH'] } };
  const { jobs } = await makePipeline(app, project, {
    jobs: [{ name: 'deploy', status: 'running', options: { idTokens }, columns: { timeout: 600, protected: 1 } }],
  });
  const variables = await jobVariables(app.deps, app.deps.db, jobs.deploy!, { token: 'glcbt-x', runner: null });
  const [vault, two] = ['VAULT', 'TWO'].map((name) => variables.find(({ key }) => key === name)!);
  assert.deepEqual([vault?.masked, vault?.public], [true, false]);
  const [header, payload, signature] = vault!.value.split('.') as [string, string, string];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const [key] = await keys('/oauth/discovery/keys');
  assert.deepEqual(read(header), { kid: key!.kid, typ: 'JWT', alg: 'RS256' });
  const publicKey = createPublicKey({ key: key!, format: 'jwk' });
  assert.ok(verify('sha256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url')));
  const claims = read(payload);
  const seconds = clock.now().getTime() / 1_000;
  assert.equal(claims.sub, `project_path:${project.full_path}:ref_type:branch:ref:main`);
  assert.deepEqual(
    [claims.iss, claims.aud, claims.iat, claims.exp, claims.nbf],
    ['https://forge.example', 'https://vault.example', seconds, seconds + 600, seconds - 5],
  );
  assert.deepEqual(
    [
      claims.project_id,
      claims.job_id,
      claims.user_login,
      claims.ref_protected,
      claims.ref_path,
      claims.user_access_level,
    ],
    [String(project.id), String(jobs.deploy!.id), 'root', 'true', 'refs/heads/main', 'owner'],
  );
  assert.deepEqual(read(two!.value.split('.')[1]!).aud, ['a', project.full_path]);
});

test('the key stays the same, and its secret part is shown nowhere', async () => {
  const [first, again, other] = [await keys('/-/jwks'), await keys('/-/jwks'), await keys('/oauth/discovery/keys')];
  assert.deepEqual(again, first);
  assert.deepEqual(other, first);
  assert.deepEqual(Object.keys(first[0]!).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

test('where the keys are is told by discovery', async () => {
  const { app: server } = app.instance.server;
  const response = await server.inject({ url: '/.well-known/openid-configuration' });
  assert.equal(response.statusCode, 200);
  const { issuer, jwks_uri } = response.json();
  assert.deepEqual([issuer, jwks_uri], ['https://forge.example', 'https://forge.example/oauth/discovery/keys']);
});

test('variables change nothing of what a token says of the environment', async () => {
  const project = await app.make.project();
  const { pipeline, jobs } = await makePipeline(app, project, {
    jobs: [
      {
        name: 'deploy',
        status: 'running',
        options: { idTokens: { VAULT: { aud: ['x'] } } },
        columns: { environment: 'review/one' },
      },
    ],
  });
  const input = { pipeline_id: pipeline.id, key: 'CI_ENVIRONMENT_TIER', value: 'production' };
  await app.deps.db
    .insertInto('ci_pipeline_variables')
    .values({ ...input, value: storedText(input.value), variable_type: 'env_var' })
    .execute();
  const variables = await jobVariables(app.deps, app.deps.db, jobs.deploy!, { token: 'glcbt-x', runner: null });
  const token = variables.find(({ key }) => key === 'VAULT')!.value;
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  assert.deepEqual([claims.environment, claims.deployment_tier], ['review/one', 'development']);
});
