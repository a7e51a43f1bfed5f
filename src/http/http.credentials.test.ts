import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Type } from 'typebox';
import { ROOT_TOKEN } from '../../test/support/app.ts';
import { type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import { timestamp } from '../core/clock.ts';
import { ApiError, unauthorized } from '../core/core.errors.ts';
import { tokenDigest } from '../core/core.secrets.ts';
import { API_TOKENS } from './api-tokens.ts';
import { basic, bearer, bodyParameter, header, parameter } from './credential-locations.ts';
import type { CredentialLookup, Credentials } from './http.credentials.ts';
import { type Access, route } from './http.route.ts';
import { Secret } from './http.schema.ts';
import { openApiDocument } from './openapi/openapi.document.ts';
import { accessToken, deployToken } from './secret-kinds.ts';

/** A credential kind of this test: a job token that acts as a user until the test removes it. */
const running = new Set(['job-secret']);
let lookUps = 0;
const jobToken: CredentialLookup = async (deps, { username, secret }) => {
  lookUps += 1;
  if (!secret.startsWith('job-')) return undefined;
  if (username !== null && username !== 'gitlab-ci-token') return undefined;
  if (!running.has(secret)) throw unauthorized('Job is not running');
  const user = await deps.db.selectFrom('users').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  return { user, admin: false, scopes: null, credential: { kind: 'password' }, sudoBy: null };
};
/** A credential kind without a user, like a feature flags client or a runner. */
const machine: CredentialLookup = async (_deps, { secret }) =>
  secret === 'machine-secret' ? { ...ANONYMOUS, credential: { kind: 'password' } } : undefined;

const description = 'The token of a job.';
const kinds = [jobToken];
const JOBS: Credentials = {
  methods: [
    ...API_TOKENS.methods,
    { name: 'jobToken', location: header('JOB-TOKEN'), description, kinds },
    { name: 'jobTokenQuery', location: parameter('job_token'), description, kinds },
  ],
};
const text = 'A token.';
const PACKAGES: Credentials = {
  methods: [
    { name: 'packageKey', location: header('X-NuGet-ApiKey'), description: text, kinds: [accessToken, jobToken] },
    { name: 'deployToken', location: header('Deploy-Token'), description: text, kinds: [deployToken] },
    { name: 'packageBearer', location: bearer, description: text, kinds: [accessToken, deployToken, jobToken] },
    { name: 'packageBasic', location: basic, description: text, kinds: [accessToken, deployToken, jobToken] },
  ],
  challenge: () => new ApiError(401, '401 Unauthorized', {}, { 'WWW-Authenticate': 'Basic realm="Packages"' }),
};
const UNLEASH: Credentials = {
  methods: [
    { name: 'instanceId', location: header('UNLEASH-INSTANCEID'), description: 'An instance id.', kinds: [machine] },
    { name: 'instanceIdQuery', location: parameter('instance_id'), description: 'An instance id.', kinds: [machine] },
  ],
};
const RUNNERS: Credentials = {
  methods: [
    { name: 'runnerToken', location: header('Runner-Token'), description: 'The token of a runner.', kinds: [machine] },
    {
      name: 'runnerTokenBody',
      location: bodyParameter('token'),
      description: 'The token of a runner.',
      kinds: [machine],
    },
  ],
};

let checks = 0;
const known: Access = {
  description: 'Whoever says who they are',
  anonymous: false,
  params: {},
  check: async ({ caller }) => {
    checks += 1;
    if (caller.credential.kind === 'none') throw unauthorized();
    return {};
  },
};
const open: Access = { ...known, anonymous: true, check: async () => ({}) };
const whoIs = ({ user, credential }: Caller) => ({ user: user?.id ?? null, kind: credential.kind });
const get = (path: string, credentials: Credentials | undefined, access = known) =>
  route({
    method: 'GET',
    path,
    summary: 'See who calls',
    access,
    ...(credentials === undefined ? {} : { credentials }),
    scopes: ['read_package_registry'],
    success: { status: 200, schema: Type.Object({}) },
    handler: ({ caller }) => whoIs(caller),
  });
const routes = [
  get('/plain', undefined),
  get('/jobs', JOBS),
  get('/packages', PACKAGES),
  get('/public', PACKAGES, open),
  get('/flags', UNLEASH),
  route({
    method: 'POST',
    path: '/request',
    summary: 'Ask for a job',
    access: known,
    credentials: RUNNERS,
    input: Type.Object({ token: Type.Optional(Secret()), system_id: Type.Optional(Type.String()) }),
    success: { status: 201, schema: Type.Object({}) },
    handler: ({ caller, input }) => ({ ...whoIs(caller), system_id: input.system_id ?? null }),
  }),
];

let server: RouteServer;
before(async () => {
  server = await serveRoutes(routes, {
    settings: { STITHY_THROTTLE_UNAUTHENTICATED_REQUESTS: '1000', STITHY_THROTTLE_AUTHENTICATED_REQUESTS: '1000' },
  });
  const { deps, make } = server.app;
  const project = await make.project();
  await deps.db
    .insertInto('deploy_tokens')
    .values({
      name: 'deploy',
      username: 'deployer',
      digest: tokenDigest('deploy-secret'),
      scopes: '["read_package_registry"]',
      created_at: timestamp(deps.clock),
      source_type: 'project',
      source_id: project.id,
    })
    .execute();
});
after(() => server.close());

const ask = async (path: string, headers: Record<string, string> = {}) => {
  const response = await server.send('GET', `/api/v4${path}`, { headers });
  const { kind, user } = response.json<{ kind?: string; user?: number | null }>();
  return [response.statusCode, ...(kind === undefined ? [] : [kind, user])];
};
const basicOf = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});

describe('a route takes the credentials that it declares', () => {
  test('those of the API as before, where it declares none', async () => {
    const bearerOf = { authorization: `Bearer ${ROOT_TOKEN}` };
    for (const headers of [{ 'private-token': ROOT_TOKEN }, bearerOf]) {
      assert.deepEqual(await ask('/plain', headers), [200, 'access_token', 1]);
    }
    for (const name of ['private_token', 'access_token']) {
      assert.deepEqual(await ask(`/plain?${name}=${ROOT_TOKEN}`), [200, 'access_token', 1]);
    }
    assert.deepEqual(await ask('/plain', { 'job-token': 'job-secret' }), [401]);
    assert.deepEqual(await ask('/plain', { 'deploy-token': 'deploy-secret' }), [401]);
    assert.deepEqual(await ask('/plain', basicOf('x', ROOT_TOKEN)), [401]);
  });

  test('a header, a parameter, and a name with a secret, whatever else the route takes', async () => {
    assert.deepEqual(await ask('/jobs', { 'job-token': 'job-secret' }), [200, 'password', 1]);
    assert.deepEqual(await ask('/jobs?job_token=job-secret'), [200, 'password', 1]);
    assert.deepEqual(await ask('/jobs', { 'private-token': ROOT_TOKEN }), [200, 'access_token', 1]);
    assert.deepEqual(await ask('/packages', basicOf('gitlab-ci-token', 'job-secret')), [200, 'password', 1]);
    assert.deepEqual(await ask('/packages', basicOf('anybody', 'job-secret')), [401]);
    assert.deepEqual(await ask('/packages', basicOf('anybody', ROOT_TOKEN)), [200, 'access_token', 1]);
    assert.deepEqual(await ask('/packages', { 'x-nuget-apikey': 'job-secret' }), [200, 'password', 1]);
    assert.deepEqual(await ask('/flags', { 'unleash-instanceid': 'machine-secret' }), [200, 'password', null]);
    assert.deepEqual(await ask('/flags?instance_id=machine-secret'), [200, 'password', null]);
    assert.deepEqual(await ask('/flags?instance_id=other'), [401]);
  });

  test('a deploy token by its header, as a bearer, and under its own name as a password', async () => {
    const its = [200, 'deploy_token', null];
    assert.deepEqual(await ask('/packages', { 'deploy-token': 'deploy-secret' }), its);
    assert.deepEqual(await ask('/packages', { authorization: 'Bearer deploy-secret' }), its);
    assert.deepEqual(await ask('/packages', basicOf('deployer', 'deploy-secret')), its);
    assert.deepEqual(await ask('/packages', basicOf('somebody', 'deploy-secret')), [401]);
    assert.deepEqual(await ask('/packages', { 'deploy-token': ROOT_TOKEN }), [401]);
  });

  test('one that is no good is refused, be there another that is', async () => {
    assert.deepEqual(await ask('/public', { 'deploy-token': 'guess' }), [401]);
    assert.deepEqual(await ask('/public', { 'deploy-token': 'guess', authorization: `Bearer ${ROOT_TOKEN}` }), [401]);
    assert.deepEqual(await ask('/public', basicOf('name', '')), [401]);
    for (const headers of [{}, { 'deploy-token': '' }, { authorization: 'Basic !' }, basicOf('', '')]) {
      assert.deepEqual(await ask('/public', headers as Record<string, string>), [200, 'none', null]);
    }
  });

  test('every 401 is the challenge that the route declares', async () => {
    for (const headers of [{}, basicOf('x', 'guess')]) {
      const response = await server.send('GET', '/api/v4/packages', { headers: headers as Record<string, string> });
      assert.deepEqual([response.statusCode, response.headers['www-authenticate']], [401, 'Basic realm="Packages"']);
    }
    const plain = await server.send('GET', '/api/v4/plain');
    assert.deepEqual([plain.statusCode, plain.headers['www-authenticate']], [401, undefined]);
  });

  test('one that ends is refused from then on, although nothing in the database has changed', async () => {
    assert.deepEqual(await ask('/jobs?again', { 'job-token': 'job-secret' }), [200, 'password', 1]);
    const before = lookUps;
    running.delete('job-secret');
    assert.deepEqual(await ask('/jobs?again', { 'job-token': 'job-secret' }), [401]);
    running.add('job-secret');
    assert.equal(lookUps, before + 1);
  });
});

describe('a token in the body', () => {
  const request = (payload: string, type = 'application/json', headers: Record<string, string> = {}) =>
    server.send('POST', '/api/v4/request', { payload, headers: { 'content-type': type, ...headers } });

  test('is looked up once the body has been read, in each of its encodings', async () => {
    const json = await request('{"token": "machine-secret", "system_id": "s"}');
    assert.deepEqual([json.statusCode, json.json()], [201, { user: null, kind: 'password', system_id: 's' }]);
    const form = await request('token=machine-secret', 'application/x-www-form-urlencoded');
    assert.equal(form.statusCode, 201);
    assert.deepEqual([(await request('{"token": "guess"}')).statusCode, (await request('{}')).statusCode], [401, 401]);
  });

  test('is not waited for where a header says who calls', async () => {
    const before = checks;
    const refused = await request('{', 'application/json', { 'runner-token': 'guess' });
    assert.equal(refused.statusCode, 401);
    assert.equal(checks, before);
    const taken = await request('{}', 'application/json', { 'runner-token': 'machine-secret' });
    assert.equal(taken.statusCode, 201);
  });

  test('counts as a caller, and its absence or a guess as nobody, for the throttle', async () => {
    const named = (response: { headers: Record<string, unknown> }) => response.headers['ratelimit-name'];
    assert.equal(named(await request('{"token": "machine-secret"}')), 'throttle_authenticated_api');
    assert.equal(named(await request('{"token": "guess"}')), 'throttle_unauthenticated_api');
    assert.equal(named(await request('{}')), 'throttle_unauthenticated_api');
  });

  test('is no way in for a body of files, which is read only for those who are known', () => {
    assert.throws(
      () =>
        route({
          method: 'POST',
          path: '/files',
          summary: 'Send a file',
          access: known,
          credentials: RUNNERS,
          bodyLimit: 'file',
          success: { status: 201, empty: true },
          handler: () => undefined,
        }),
      /POST \/files/,
    );
  });
});

test('secrets do not reach the log, wherever they are sent', async () => {
  await ask('/jobs?job_token=job-secret');
  await ask('/flags?instance_id=machine-secret');
  server.app.deps.log.log('error', 'what was kept back until now is written with it');
  const lines = server.app.logLines.join('\n');
  assert.match(lines, /job_token=\[FILTERED\]/);
  assert.doesNotMatch(lines, /job-secret|machine-secret|deploy-secret/);
});

describe('the document', () => {
  const { paths, components } = JSON.parse(JSON.stringify(openApiDocument(routes, 'https://forge.example'))) as {
    paths: Record<string, Record<string, { security: object[]; description: string }>>;
    components: { securitySchemes: Record<string, Record<string, string>> };
  };

  test('has every way by its name, and for each operation those that do', () => {
    const schemes = components.securitySchemes;
    assert.deepEqual(schemes.jobToken, { type: 'apiKey', in: 'header', name: 'JOB-TOKEN', description });
    assert.deepEqual(schemes.packageBasic, { type: 'http', scheme: 'basic', description: text });
    assert.deepEqual(paths['/api/v4/public']!.get!.security, [
      {},
      { packageKey: [] },
      { deployToken: [] },
      { packageBearer: [] },
      { packageBasic: [] },
    ]);
    assert.match(
      paths['/api/v4/jobs']!.get!.description,
      /\*\*Credentials:\*\* header `PRIVATE-TOKEN`, .*header `JOB-TOKEN`, parameter `job_token`\./,
    );
  });

  test('has what stands in the body as a parameter', () => {
    const { security, description } = paths['/api/v4/request']!.post!;
    assert.deepEqual(security, [{ runnerToken: [] }, {}]);
    assert.match(description, /header `Runner-Token`, `token` in the body\./);
  });

  test('cannot be made where two ways have one name', () => {
    const other: Credentials = {
      methods: [{ name: 'bearer', location: bearer, description: 'Of another kind.', kinds }],
    };
    assert.throws(() => openApiDocument([get('/a', other)], 'https://forge.example'), /bearer/);
  });
});
