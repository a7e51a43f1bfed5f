import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../test/support/app.ts';
import { BenchClock } from './bench-clock.ts';
import { loadClock } from './clock.store.ts';

interface State {
  now: string;
  offset: number;
  frozen: boolean;
}

const CLOCK = '/-/bench/clock';
const base = new TestClock(new Date('2026-06-15T12:00:00.000Z'));
let app: TestApp;
let token: string;
before(async () => {
  app = await buildTestApp({ clock: base, settings: { STITHY_BENCH: '1' } });
  app.deps.jobs.start();
  ({ token } = await app.make.user());
});
after(() => app.close());

const put = (json: unknown) => app.put(CLOCK, { json });
const advance = (json: unknown) => app.post(`${CLOCK}/advance`, { json });
const state = async () => expectStatus<State>(await app.get(CLOCK), 200);

test('the clock is set, frozen, advanced and let run again', async () => {
  assert.deepEqual(await state(), { now: '2026-06-15T12:00:00.000Z', offset: 0, frozen: false });
  expectStatus(await put({ now: '2030-01-01T00:00:00+01:00' }), 200);
  assert.equal((await state()).now, '2029-12-31T23:00:00.000Z');
  base.advance(1_000);
  assert.equal((await state()).now, '2029-12-31T23:00:01.000Z');
  expectStatus(await put({ frozen: true }), 200);
  base.advance(1_000);
  assert.equal((await state()).now, '2029-12-31T23:00:01.000Z');
  assert.equal(expectStatus<State>(await advance({ seconds: 59 }), 200).now, '2029-12-31T23:01:00.000Z');
  const { frozen, now } = expectStatus<State>(await put({ frozen: false }), 200);
  assert.deepEqual([frozen, now], [false, '2029-12-31T23:01:00.000Z']);
  base.advance(1_000);
  assert.equal((await state()).now, '2029-12-31T23:01:01.000Z');
  assert.deepEqual(expectStatus<State>(await put({ offset: -60 }), 200), {
    now: new Date(base.now().getTime() - 60_000).toISOString(),
    offset: -60,
    frozen: false,
  });
  expectStatus(await put({ offset: 0 }), 200);
});

test('what the server dates and lets expire follows it', async () => {
  const { id } = await app.make.project();
  const day = 86_400;
  const { user } = await app.make.user();
  const created = await app.post(`/users/${user.id}/personal_access_tokens`, {
    json: { name: 'short', scopes: ['api'], expires_at: '2026-06-20' },
  });
  const { token: key } = expectStatus<{ token: string }>(created, 201);
  expectStatus(await app.get('/user', { token: key }), 200);
  expectStatus(await advance({ seconds: 10 * day }), 200);
  expectStatus(await app.get('/user', { token: key }), 401);
  const issue = expectStatus<{ created_at: string }>(
    await app.post(`/projects/${id}/issues`, { json: { title: 'Later' } }),
    201,
  );
  assert.equal(issue.created_at, app.deps.clock.now().toISOString());
  assert.ok(issue.created_at.startsWith('2026-06-25'));
  expectStatus(await put({ offset: 0 }), 200);
});

test('it survives a restart', async () => {
  expectStatus(await put({ offset: 3_600, frozen: true }), 200);
  const other = new BenchClock(base);
  await loadClock(app.deps.db, other);
  assert.equal(other.now().toISOString(), (await state()).now);
  assert.equal(other.frozen, true);
  expectStatus(await put({ offset: 0, frozen: false }), 200);
});

test('what makes no sense is refused and says why', async () => {
  const refusals: [unknown, RegExp][] = [
    [{}, /at least one/],
    [{ now: 'tomorrow' }, /now must be an ISO 8601 time/],
    [{ now: '2026-13-01T00:00:00Z' }, /now must be an ISO 8601 time/],
    [{ now: '2026-01-01T00:00:00Z', offset: 1 }, /mutually exclusive/],
    [{ offset: 'x' }, /offset is invalid/],
    [{ offset: 1e12 }, /outside of the years/],
    [{ frozen: 'maybe' }, /frozen is invalid/],
    [{ froze: true, frozen: true }, /froze is unknown; known are now, offset, frozen/],
  ];
  for (const [json, message] of refusals) assert.match((await put(json)).body, message, JSON.stringify(json));
  for (const json of [{ seconds: -1 }, {}, { seconds: 1, waits: false }, { seconds: 1e12 }])
    assert.equal((await advance(json)).statusCode, 400, JSON.stringify(json));
  assert.equal((await state()).offset, 0);
});

test('only the administrator steers it', async () => {
  for (const [method, path] of [
    ['GET', CLOCK],
    ['PUT', CLOCK],
    ['POST', `${CLOCK}/advance`],
  ] as const) {
    expectStatus(await app.request(method, path, { token: null, json: { seconds: 1, frozen: true } }), 401);
    expectStatus(await app.request(method, path, { token, json: { seconds: 1, frozen: true } }), 403);
  }
});

test('without a test bench there is no such address', async () => {
  const plain = await buildTestApp();
  try {
    const headers = { 'private-token': ROOT_TOKEN };
    const response = await plain.instance.server.app.inject({ url: CLOCK, headers });
    assert.equal(response.statusCode, 404);
    assert.equal(plain.instance.bench, null);
  } finally {
    await plain.close();
  }
});
