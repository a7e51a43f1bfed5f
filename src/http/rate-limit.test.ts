import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { ROOT_TOKEN, TestClock } from '../../test/support/app.ts';
import { anyone, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { ActionLimiter, ConcurrencyLimiter, WindowCounter } from '../core/limiters.ts';
import { route } from './http.route.ts';

const options = { summary: 's', access: anyone, success: { status: 200, schema: Type.Unsafe<unknown>({}) } } as const;

let release = (): void => {};
const entered = Promise.withResolvers<void>();
const routes = [
  route({ method: 'GET', path: '/thing', ...options, handler: () => ({}) }),
  route({
    method: 'GET',
    path: '/slow',
    ...options,
    expensive: true,
    handler: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
        entered.resolve();
      });
      return {};
    },
  }),
];

const clock = new TestClock(new Date('2026-06-15T12:00:30.000Z'));
let http: RouteServer;
before(async () => {
  http = await serveRoutes(routes, {
    clock,
    settings: {
      STITHY_THROTTLE_AUTHENTICATED_REQUESTS: '3',
      STITHY_THROTTLE_AUTHENTICATED_PERIOD: '60',
      STITHY_THROTTLE_UNAUTHENTICATED_REQUESTS: '2',
      STITHY_THROTTLE_UNAUTHENTICATED_PERIOD: '120',
      STITHY_MAX_EXPENSIVE_PER_CALLER: '1',
    },
  });
});
after(() => http.close());

const get = (url: string, token?: string) =>
  http.send('GET', `/api/v4${url}`, { headers: token === undefined ? {} : { 'private-token': token } });

test('the throttle tells where a caller stands and ends with 429', async () => {
  clock.advance(600_000);
  for (const observed of ['1', '2', '3']) {
    const { statusCode, headers } = await get('/thing', ROOT_TOKEN);
    assert.equal(statusCode, 200);
    assert.equal(headers['ratelimit-name'], 'throttle_authenticated_api');
    assert.equal(headers['ratelimit-limit'], '3');
    assert.equal(headers['ratelimit-observed'], observed);
    assert.equal(headers['ratelimit-remaining'], String(3 - Number(observed)));
  }
  const { statusCode, headers, body } = await get('/thing', ROOT_TOKEN);
  assert.equal(statusCode, 429);
  assert.equal(body, 'Retry later\n');
  assert.match(String(headers['content-type']), /^text\/plain/);
  assert.equal(headers['retry-after'], '30');
  const reset = Number(headers['ratelimit-reset']);
  assert.equal(headers['ratelimit-resettime'], new Date(reset * 1000).toUTCString());
  clock.advance(30_000);
  assert.equal((await get('/thing', ROOT_TOKEN)).statusCode, 200);
});

test('users do not use up what others may', async () => {
  clock.advance(600_000);
  for (let count = 0; count < 4; count += 1) await get('/thing', ROOT_TOKEN);
  const { token } = await http.app.make.user();
  assert.equal((await get('/thing', token)).statusCode, 200);
});

test('anonymous callers are counted by address, with refused tokens too', async () => {
  clock.advance(600_000);
  const anonymous = await get('/thing');
  assert.equal(anonymous.statusCode, 200);
  assert.equal(anonymous.headers['ratelimit-name'], 'throttle_unauthenticated_api');
  assert.equal(anonymous.headers['ratelimit-limit'], '1');
  assert.equal((await get('/thing', 'glpat-guessed-0000000000')).statusCode, 401);
  assert.equal((await get('/thing', 'glpat-guessed-0000000001')).statusCode, 429);
  assert.equal((await get('/thing')).statusCode, 429);
  assert.equal((await get('/thing', ROOT_TOKEN)).statusCode, 200);
});

test('of expensive requests one caller has only so many under way', async () => {
  clock.advance(600_000);
  const first = get('/slow', ROOT_TOKEN);
  await entered.promise;
  const second = await get('/slow', ROOT_TOKEN);
  assert.equal(second.statusCode, 429);
  assert.equal(second.headers['retry-after'], '1');
  assert.match(second.json<{ message: string }>().message, /expensive requests under way/);
  release();
  assert.equal((await first).statusCode, 200);
});

test('an action is limited by key, and again allowed in the next period', () => {
  let now = 0;
  const limiter = new ActionLimiter(() => now);
  const limit = { requests: 2, periodSeconds: 60 };
  limiter.check('raw', 'a', limit);
  limiter.check('raw', 'a', limit);
  assert.throws(() => limiter.check('raw', 'a', limit), {
    status: 429,
    message: 'This endpoint has been requested too many times. Try again later.',
    headers: { 'Retry-After': '60' },
  });
  limiter.check('raw', 'b', limit);
  limiter.check('search', 'a', limit);
  now = 60_000;
  limiter.check('raw', 'a', limit);
});

test('windows begin at whole periods', () => {
  const counter = new WindowCounter();
  assert.deepEqual(counter.hit('a', 60, 59_999), { count: 1, resetAt: 60 });
  assert.deepEqual(counter.hit('a', 60, 60_000), { count: 1, resetAt: 120 });
  assert.deepEqual(counter.hit('a', 60, 60_001), { count: 2, resetAt: 120 });
});

test('leaving twice counts once', () => {
  const limiter = new ConcurrencyLimiter(2);
  const leave = limiter.enter('a');
  leave();
  leave();
  limiter.enter('a');
  limiter.enter('a');
  assert.throws(() => limiter.enter('a'), { status: 429 });
  limiter.enter('b');
});
