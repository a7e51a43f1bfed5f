import assert from 'node:assert/strict';
import { after, afterEach, before, describe, mock, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { DEFAULT, flagProject } from '../../test/support/feature-flags.ts';
import { changeSettings, resetSettings } from '../../test/support/settings.ts';
import { basic } from './credential-locations.ts';
import { route } from './http.route.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await buildTestApp();
  base = await app.listen();
});
after(() => app.close());
afterEach(() => mock.restoreAll());

const isSqlite = () => app.deps.config.database.kind === 'sqlite';

/** Sends a request over the network, and tells whether it was authorized. */
async function askFor(path: string, headers: Record<string, string>) {
  const peeks = mock.method(app.deps.snapshot, 'peek');
  const response = await fetch(`${base}/api/v4${path}`, { headers });
  const body = await response.text();
  const looked = peeks.mock.callCount() > 0;
  peeks.mock.restore();
  return { status: response.status, headers: Object.fromEntries(response.headers), body, looked };
}

/** A project with a feature flag, and a client that polls it. */
async function polled() {
  const made = await flagProject(app);
  await made.create({ name: 'flag', strategies: [DEFAULT] });
  const { instance_id } = await made.client();
  const headers = { 'unleash-instanceid': instance_id, 'unleash-appname': 'production' };
  const path = `/feature_flags/unleash/${made.project.id}`;
  const ask = (more: Record<string, string> = {}, query = '', route = 'client/features') =>
    askFor(`${path}/${route}${query}`, { ...headers, ...more });
  return { ...made, ask, instance_id };
}

const ALWAYS_NEW = ['x-request-id', 'x-runtime', 'date'];
const steady = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ALWAYS_NEW.includes(name)));

describe('the same question at the same state of the database', () => {
  test('is answered the same, without a look at rights and flags', async () => {
    const { ask } = await polled();
    const first = await ask();
    const second = await ask();
    const again = await ask();
    assert.deepEqual([first.status, first.looked, second.looked, again.looked], [200, true, true, !isSqlite()]);
    assert.equal(again.body, first.body);
    assert.deepEqual(steady(again.headers), steady(first.headers));
    for (const name of ALWAYS_NEW) assert.ok(again.headers[name], name);
    assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id']);
    const unchanged = await ask({ 'if-none-match': first.headers.etag! });
    assert.deepEqual([unchanged.status, unchanged.body, unchanged.looked], [304, '', !isSqlite()]);
    assert.equal(unchanged.headers.etag, first.headers.etag);
    assert.equal(unchanged.headers['x-frame-options'], 'SAMEORIGIN');
  });

  test('is answered with the headers of its route', async () => {
    const { ask } = await polled();
    for (let n = 0; n < 3; n += 1) await ask({}, '', 'features');
    const again = await ask({}, '', 'features');
    assert.deepEqual([again.looked, again.headers.deprecation], [!isSqlite(), '@1735689600']);
  });

  test('is in log and metrics, without secrets', async () => {
    const { ask, instance_id } = await polled();
    const seen = app.logLines.length;
    for (let n = 0; n < 3; n += 1) await ask({}, `?instance_id=${instance_id}`);
    const lines = app.logLines
      .slice(seen)
      .join('')
      .split('\n')
      .filter((line) => line.includes('/client/features'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(lines.length, 3);
    assert.equal(JSON.stringify(lines).includes(instance_id), false);
    const [first, , again] = lines.map(({ method, path, status, route, remote_ip, ua }) => [
      method,
      path,
      status,
      route,
      remote_ip,
      ua,
    ]);
    assert.deepEqual(again, first);
    assert.equal(first?.[3], '/api/v4/feature_flags/unleash/:project_id/client/features');
    const metrics = await (await fetch(`${base}/-/metrics`)).text();
    assert.match(metrics, /http_requests_total\{[^}]*route="\/api\/v4\/feature_flags\/unleash[^}]*\} \d+/);
    assert.match(metrics, /http_requests_in_flight 1\n/);
  });
});

describe('is not answered so, but as ever,', () => {
  test('what was changed, closed or reset', async () => {
    const { ask, change, project } = await polled();
    const first = await ask();
    await ask();
    await ask();
    await change('flag', { active: false });
    const changed = await ask();
    assert.deepEqual([changed.status, changed.body.includes('"enabled":false')], [200, true]);
    assert.notEqual(changed.body, first.body);
    const close = (level: 'disabled' | 'enabled') =>
      app.put(`/projects/${project.id}`, { json: { feature_flags_access_level: level } });
    expectStatus(await close('disabled'), 200);
    assert.equal((await ask()).status, 403);
    expectStatus(await close('enabled'), 200);
    assert.equal((await ask()).status, 200);
    await ask();
    expectStatus(await app.post(`/projects/${project.id}/feature_flags_client/reset_token`), 201);
    assert.equal((await ask()).status, 401);
  });

  test('who shows another id, or is in another environment', async () => {
    const { ask, create } = await polled();
    const strategies = [{ ...DEFAULT, scopes: [{ environment_scope: 'staging' }] }];
    await create({ name: 'staged', strategies });
    await ask();
    await ask();
    await ask();
    assert.equal((await ask({ 'unleash-instanceid': 'other' })).status, 401);
    assert.equal((await ask({ 'unleash-appname': 'staging' })).body.includes('staged'), true);
    assert.equal((await ask()).body.includes('staged'), false);
  });

  test('a browser, and who asks in another way', async () => {
    const { ask } = await polled();
    await ask();
    await ask();
    const browser = await ask({ origin: 'https://example.org' });
    assert.deepEqual([browser.looked, browser.headers['access-control-allow-origin']], [true, '*']);
  });

  test('anybody while requests are counted', async () => {
    const { ask } = await polled();
    const name = 'throttle_authenticated_api';
    await changeSettings(app, { [`${name}_requests_per_period`]: 3, [`${name}_period_in_seconds`]: 3_600 });
    await changeSettings(app, { [`${name}_enabled`]: true });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await ask()).status);
      assert.deepEqual(statuses, [200, 200, 200, 429]);
    } finally {
      await resetSettings(app);
    }
  });
});

test('a route is not lasting whose requests are counted, which needs a plan, or whose callers must be looked up each time', () => {
  const declare = (more: object) =>
    route({
      method: 'GET',
      path: '/x',
      summary: 'X',
      access: {} as never,
      success: { status: 200, empty: true },
      handler: () => undefined,
      cacheable: [],
      ...more,
    } as never);
  assert.doesNotThrow(() => declare({}));
  for (const more of [{ plan: 'premium' }, { expensive: true }, { limit: { setting: 'x', periodSeconds: 60 } }]) {
    assert.throws(() => declare(more), /GET \/x cannot be cacheable/);
  }
  assert.throws(
    () => declare({ credentials: { methods: [{ location: basic }] } }),
    /its credentials are looked up each time/,
  );
});
