import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { callerOfToken } from '../../../access/token-caller.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { expiryOf, type IssuedToken, issueToken, isTokenActive, rotateToken } from './access-tokens.writes.ts';

const clock = new TestClock();
let app: TestApp;
let userId: number;
before(async () => {
  app = await buildTestApp({ clock });
  userId = (await app.make.user()).user.id;
});
after(() => app.close());

const issue = async (): Promise<IssuedToken> =>
  issueToken(app.deps, app.deps.db, {
    userId,
    name: 'robot',
    description: 'for tests',
    scopes: ['api', 'read_api', 'api'],
    expiresAt: await expiryOf(app.deps, undefined),
  });
const works = (token: string) =>
  callerOfToken(app.deps, token, '127.0.0.1').then(
    (caller) => caller !== undefined,
    (error: unknown) => (error instanceof ApiError && error.status === 401 ? false : Promise.reject(error)),
  );

test('an issued token signs its user in and is stored as a digest only', async () => {
  const { token, row } = await issue();
  assert.match(token, /^glpat-[A-Za-z0-9]{26}$/);
  assert.deepEqual(JSON.parse(row.scopes), ['api', 'read_api']);
  assert.equal(row.expires_at, '2027-06-15');
  assert.ok(!JSON.stringify(row).includes(token));
  assert.equal((await callerOfToken(app.deps, token, '127.0.0.1'))?.user?.id, userId);
});

test('a token may live 365 days and no longer', async () => {
  assert.equal(await expiryOf(app.deps, '2027-06-15'), '2027-06-15');
  const message = 'expires_at must be before 2027-06-16';
  await assert.rejects(expiryOf(app.deps, '2027-06-16'), { status: 400, message });
  assert.equal(await expiryOf(app.deps, null, 7), '2026-06-22');
});

test('rotation replaces the token and keeps name, description and scopes', async () => {
  const old = await issue();
  const fresh = await rotateToken(app.deps, old.row, undefined);
  assert.equal(await works(old.token), false);
  assert.equal(await works(fresh.token), true);
  const { name, description, scopes } = old.row;
  assert.deepEqual(
    { name: fresh.row.name, description: fresh.row.description, scopes: fresh.row.scopes },
    { name, description, scopes },
  );
  assert.equal(fresh.row.expires_at, '2026-06-22');
});

test('rotating a token that was replaced revokes its whole family', async () => {
  const first = await issue();
  const second = await rotateToken(app.deps, first.row, undefined);
  const third = await rotateToken(app.deps, second.row, undefined);
  const stranger = await issue();
  await assert.rejects(rotateToken(app.deps, first.row, undefined), {
    status: 400,
    message: '400 Bad request - token already revoked',
  });
  assert.equal(await works(third.token), false);
  assert.equal(await works(stranger.token), true);
});

test('of two rotations at the same time one wins', async () => {
  const old = await issue();
  const results = await Promise.allSettled([
    rotateToken(app.deps, old.row, undefined),
    rotateToken(app.deps, old.row, undefined),
  ]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('a rotation that is refused once more changes nothing', async () => {
  const old = await issue();
  await assert.rejects(
    rotateToken(app.deps, old.row, undefined, async () => {
      throw new Error('no');
    }),
  );
  assert.equal(await works(old.token), true);
});

test('a token is active until the day it expires on', async () => {
  const { row } = await issue();
  assert.equal(isTokenActive(clock, { ...row, expires_at: '2026-06-16' }), true);
  assert.equal(isTokenActive(clock, { ...row, expires_at: '2026-06-15' }), false);
  assert.equal(isTokenActive(clock, { ...row, revoked: 1 }), false);
});
