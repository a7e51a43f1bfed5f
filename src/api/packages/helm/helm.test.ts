import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { paxAttribute, tarEntry, tarGzOf } from '../../../../test/support/tar.ts';

let app: TestApp;
let id: number;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  const project = await app.make.project({ visibility: 'private' });
  id = project.id;
  staff = await app.make.members(project);
});
after(() => app.close());

const at = (rest: string) => `/projects/${id}/packages/helm/${rest}`;

const archive = (files: Record<string, string | Buffer>) => tarGzOf(Object.entries(files));

const chart = (yaml: string) => archive({ 'app/Chart.yaml': yaml, 'app/values.yaml': 'a: 1\n' });
const plain = (name: string, version: string, more = '') =>
  chart(`apiVersion: v2\nname: ${name}\nversion: ${version}\n${more}`);

function upload(
  bytes: Buffer,
  options: { token?: string | null; channel?: string; field?: string; headers?: Record<string, string> } = {},
) {
  const { token = staff.developer.token, channel = 'stable', field = 'chart' } = options;
  const form = multipart({}, { field, name: 'upload.tgz', bytes });
  return app.post(at(`api/${channel}/charts`), { token, ...form, headers: { ...form.headers, ...options.headers } });
}

interface Index {
  apiVersion: string;
  entries: Record<string, Record<string, unknown>[]>;
  generated: string;
  serverInfo: { contextPath: string };
}
async function index(channel = 'stable', token: string | null = staff.reporter.token): Promise<Index> {
  const response = await app.get(at(`${channel}/index.yaml`), { token });
  assert.equal(response.statusCode, 200, response.body);
  assert.match(String(response.headers['content-type']), /^text\/yaml/);
  return parse(response.body) as Index;
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a chart', () => {
  test('is published, listed and downloaded', async () => {
    const bytes = await chart(`apiVersion: v2
name: app
version: 1.2.0
appVersion: 1.10
description: "An app: \\"quoted\\" # no comment"
deprecated: true
kubeVersion: ">=1.20"
keywords: [web, 2024-01-01, yes]
maintainers:
  - name: Ada
    email: ada@example.org
dependencies:
  - name: redis
    version: ~1
    repository: https://charts.example.org
    enabled: false
    tags: [a]
annotations:
  on: "off"
  "line\\u2028end": "\\u0085"
unknown: {a: b}
`);
    assert.deepEqual(expectStatus(await upload(bytes), 201), { message: '201 Created' });
    const { entries, ...rest } = await index();
    assert.equal(rest.apiVersion, 'v1');
    assert.equal(rest.serverInfo.contextPath, `/api/v4/projects/${id}/packages/helm`);
    assert.ok(!Number.isNaN(Date.parse(rest.generated)));
    const { created, ...entry } = entries.app![0]!;
    assert.ok(!Number.isNaN(Date.parse(String(created))));
    assert.deepEqual(entry, {
      name: 'app',
      version: '1.2.0',
      apiVersion: 'v2',
      appVersion: '1.10',
      description: 'An app: "quoted" # no comment',
      deprecated: true,
      kubeVersion: '>=1.20',
      keywords: ['web', '2024-01-01', 'yes'],
      maintainers: [{ name: 'Ada', email: 'ada@example.org' }],
      dependencies: [
        { name: 'redis', version: '~1', repository: 'https://charts.example.org', enabled: false, tags: ['a'] },
      ],
      annotations: { on: 'off', 'line\u2028end': '\u0085' },
      digest: sha256(bytes),
      urls: ['charts/app-1.2.0.tgz'],
    });
    const file = await app.get(at('stable/charts/app-1.2.0.tgz'), { token: staff.reporter.token });
    assert.equal(file.statusCode, 200);
    assert.ok(file.rawPayload.equals(bytes));
    const [row] = await app.deps.db.selectFrom('packages').selectAll().where('name', '=', 'app').execute();
    assert.deepEqual([row?.package_type, row?.version, row?.status], ['helm', '1.2.0', 'default']);
  });

  test('is published by those who may, and read by those who may', async () => {
    for (const who of ['developer', 'maintainer', 'owner'] as const) {
      expectStatus(await upload(await plain(`by-${who}`, '1.0.0'), { token: staff[who].token }), 201);
    }
    const bytes = await plain('roles', '1.0.0');
    for (const who of ['guest', 'planner', 'reporter'] as const) {
      expectStatus(await upload(bytes, { token: staff[who].token }), 403);
    }
    expectStatus(await upload(bytes, { token: staff.stranger.token }), 404);
    expectStatus(await upload(bytes, { token: null }), 401);
    expectStatus(await upload(bytes), 201);
    for (const path of ['stable/index.yaml', 'stable/charts/roles-1.0.0.tgz']) {
      for (const who of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
        assert.equal((await app.get(at(path), { token: staff[who].token })).statusCode, 200);
      }
      for (const who of ['guest', 'planner'] as const) {
        expectStatus(await app.get(at(path), { token: staff[who].token }), 403);
      }
      expectStatus(await app.get(at(path), { token: staff.stranger.token }), 404);
      const anonymous = await app.get(at(path), { token: null });
      expectStatus(anonymous, 401);
      assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
    }
  });

  test('again takes the place of the earlier one', async () => {
    const [first, second] = [
      await plain('again', '1.0.0', 'description: one'),
      await plain('again', '1.0.0', 'description: two'),
    ];
    for (const bytes of [first, second]) expectStatus(await upload(bytes), 201);
    const { entries } = await index();
    assert.deepEqual(
      entries.again?.map(({ digest, description }) => [digest, description]),
      [[sha256(second), 'two']],
    );
    assert.ok((await app.get(at('stable/charts/again-1.0.0.tgz'))).rawPayload.equals(second));
  });

  test('is in its channel alone', async () => {
    expectStatus(await upload(await plain('apart', '1.0.0'), { channel: 'dev_1' }), 201);
    assert.ok((await index('dev_1')).entries.apart);
    assert.equal((await index()).entries.apart, undefined);
    assert.deepEqual((await index('devx1')).entries, {});
    expectStatus(await app.get(at('stable/charts/apart-1.0.0.tgz')), 404);
    assert.equal((await app.get(at('dev_1/charts/apart-1.0.0.tgz'))).statusCode, 200);
  });

  test('of many versions stands with the highest first, and is found by its file', async () => {
    const versions = ['1.0.0-rc.1', 'v1.10.0', '1.9.0', '1.0.0', '2.0.0-a-b+build-1'];
    for (const version of versions) expectStatus(await upload(await plain('my-2.0.0-app', version)), 201);
    const chartEntries = (await index()).entries['my-2.0.0-app']!;
    assert.deepEqual(
      chartEntries.map(({ version }) => version),
      ['2.0.0-a-b+build-1', 'v1.10.0', '1.9.0', '1.0.0', '1.0.0-rc.1'],
    );
    for (const { urls } of chartEntries) {
      const [url] = urls as string[];
      assert.equal((await app.get(at(`stable/${url}`))).statusCode, 200);
    }
    for (const file of ['my-2.0.0-app-3.0.0.tgz', 'none.tgz', 'my-2.0.0-app-1.0.0', '..', 'x'.repeat(300)]) {
      expectStatus(await app.get(at(`stable/charts/${encodeURIComponent(file)}`)), 404);
    }
  });

  test('is taken from helm push and from curl, with tokens of all kinds', async () => {
    const made = expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${id}/deploy_tokens`, { json: { name: 'd', scopes: ['write_package_registry'] } }),
      201,
    );
    const basic = (name: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    });
    for (const headers of [basic('any', staff.developer.token), basic(made.username, made.token)]) {
      expectStatus(await upload(await plain('tokens', '1.0.0'), { token: null, headers }), 201);
      assert.equal((await app.get(at('stable/index.yaml'), { token: null, headers })).statusCode, 200);
    }
    expectStatus(await upload(await plain('tokens', '1.0.0'), { token: null, headers: basic('x', made.token) }), 401);
  });
});

describe('an upload that is no chart', () => {
  test('is refused with the reason, and leaves nothing behind', async () => {
    const file = tarEntry('app/values.yaml', 'a: 1');
    const big = Buffer.alloc(40 * 1024 * 1024);
    for (const [bytes, error] of [
      [Buffer.from('no archive'), 'the chart is not a gzipped tar archive'],
      [gzipSync('no tar'.repeat(1000)), 'the chart is not a gzipped tar archive'],
      [(await plain('cut', '1.0.0')).subarray(0, 60), 'the chart is not a gzipped tar archive'],
      [gzipSync(tarEntry('a', Buffer.alloc(2_000_000), { type: 'x' })), 'the chart is not a gzipped tar archive'],
      [gzipSync(Buffer.concat([paxAttribute('size', '-5'), file])), 'the chart is not a gzipped tar archive'],
      [gzipSync(Buffer.concat([paxAttribute('size', 'x'), file])), 'the chart is not a gzipped tar archive'],
      [await archive({ 'Chart.yaml': 'name: a' }), 'Chart.yaml not found within a directory'],
      [await archive({ 'a/charts/b/Chart.yaml': 'name: a' }), 'Chart.yaml not found within a directory'],
      [
        await archive({ 'a/big': big, 'a/Chart.yaml': 'name: a\nversion: 1.0.0' }),
        'the archive is too large before its Chart.yaml',
      ],
      [await archive({ 'a/Chart.yaml': Buffer.alloc(2 * 1024 * 1024, 'a') }), 'Chart.yaml is too large'],
      [await plain('a', '1.0.0', `description: ${'d'.repeat(70_000)}`), 'Chart.yaml is too large'],
      [await chart('{'), 'Chart.yaml is not valid YAML'],
      [await archive({ 'a/Chart.yaml': Buffer.from([0xff, 0xfe]) }), 'Chart.yaml is not valid YAML'],
      [await chart(`a: ${'['.repeat(5000)}`), 'Chart.yaml is not valid YAML'],
      [await chart('- a'), 'Chart.yaml: it is not a map'],
      [await chart(''), 'Chart.yaml: it is not a map'],
      [await plain('-bad', '1.0.0'), 'Chart.yaml: name is invalid'],
      [await plain('../bad', '1.0.0'), 'Chart.yaml: name is invalid'],
      [await plain('a', '1.0'), 'Chart.yaml: version should follow SemVer: https://semver.org'],
      [await plain('a', '1.0.0', 'keywords: web'), 'Chart.yaml: keywords is not a list'],
      [await plain('a', '1.0.0', 'deprecated: maybe'), 'Chart.yaml: deprecated is not true or false'],
      [await plain('a', '1.0.0', 'maintainers: [Ada]'), 'Chart.yaml: maintainers is not a map'],
      [await plain('a', '1.0.0', 'home: [x]'), 'Chart.yaml: home is not a text'],
      [await plain('a', '1.0.0', 'annotations: {a: {b: c}}'), 'Chart.yaml: annotations is not a text'],
    ] as const) {
      const response = await upload(bytes, { channel: 'refused' });
      assert.equal(expectStatus<{ error: string }>(response, 400).error, error);
    }
    assert.deepEqual((await index('refused')).entries, {});
  });

  test('is refused for its channel, its field and its size', async () => {
    const bytes = await plain('a', '1.0.0');
    for (const channel of ['-a', 'a..b', 'a%20b', 'a'.repeat(256)]) {
      assert.equal(expectStatus<{ error: string }>(await upload(bytes, { channel }), 400).error, 'channel is invalid');
      expectStatus(await app.get(at(`${channel}/index.yaml`)), 400);
    }
    assert.equal(
      expectStatus<{ error: string }>(await upload(bytes, { field: 'other' }), 400).error,
      'chart is missing',
    );
    const raw = await app.post(at('api/stable/charts'), {
      body: bytes,
      headers: { 'content-type': 'application/gzip' },
    });
    assert.equal(expectStatus<{ error: string }>(raw, 400).error, 'chart is missing');
    const large = await upload(Buffer.alloc(5 * 1024 * 1024 + 1));
    assert.equal(expectStatus<{ message: string }>(large, 400).message, '400 Bad request - File is too large');
  });
});

describe('an index', () => {
  test('is asked for again by its tag, and follows every change', async () => {
    const get = (headers = {}) => app.get(at('tagged/index.yaml'), { headers });
    const empty = await get();
    const known = { 'if-none-match': String(empty.headers.etag) };
    assert.equal((await get(known)).statusCode, 304);
    expectStatus(await upload(await plain('tagged', '1.0.0'), { channel: 'tagged' }), 201);
    const one = await get(known);
    assert.equal(one.statusCode, 200);
    assert.equal((await get({ 'if-none-match': String(one.headers.etag) })).statusCode, 304);
    expectStatus(await upload(await plain('tagged', '1.0.0', 'description: new'), { channel: 'tagged' }), 201);
    assert.notEqual((await get()).headers.etag, one.headers.etag);
    await app.deps.db.updateTable('packages').set({ status: 'error' }).where('name', '=', 'tagged').execute();
    assert.deepEqual((await index('tagged')).entries, {});
  });
});
