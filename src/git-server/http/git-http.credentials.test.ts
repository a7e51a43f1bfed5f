import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { buildTestApp, type TestApp, TestClock } from '../../../test/support/app.ts';
import { timestamp } from '../../core/clock.ts';
import { hashPassword, tokenDigest } from '../../core/core.secrets.ts';
import { callerOf } from '../../http/http.credentials.ts';
import { GIT_CREDENTIALS } from './git-http.credentials.ts';

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const { methods: ways } = GIT_CREDENTIALS;
const sign = (username: string, password: string) => {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const request: Partial<FastifyRequest> = { headers: { authorization }, ip: '127.0.0.1' };
  return callerOf(app.deps, { methods: ways }, request as FastifyRequest);
};
const UNKNOWN = { status: 401, message: '401 Unauthorized' };

test('a token as password stands for its user under any name', async () => {
  const { user } = await app.make.user();
  const token = await app.make.token(user.id, ['read_repository']);
  for (const name of ['oauth2', user.username, '', 'anything']) {
    const caller = await sign(name, token);
    assert.deepEqual(
      [caller.user?.id, caller.scopes, caller.credential.kind],
      [user.id, ['read_repository'], 'access_token'],
    );
  }
});

test('an OAuth token as password stands for its user', async () => {
  const { user } = await app.make.user();
  await app.deps.db
    .insertInto('oauth_tokens')
    .values({
      user_id: user.id,
      digest: tokenDigest('oauth-secret'),
      scopes: '["api"]',
      expires_in: 7200,
      created_at: timestamp(clock),
    })
    .execute();
  assert.equal((await sign('oauth2', 'oauth-secret')).credential.kind, 'oauth');
});

test('a user name or address with the password signs in without scopes', async () => {
  const password_hash = await hashPassword('correct horse', app.deps.config.passwordHash);
  const { user } = await app.make.user({ columns: { password_hash } });
  for (const name of [user.username, user.username.toUpperCase(), user.email]) {
    const caller = await sign(name, 'correct horse');
    assert.deepEqual([caller.user?.id, caller.scopes, caller.credential.kind], [user.id, null, 'password']);
  }
  await assert.rejects(sign(user.username, 'wrong horse'), UNKNOWN);
  await assert.rejects(sign(user.username, ''), UNKNOWN);
  await assert.rejects(sign('no-such-user', 'correct horse'), UNKNOWN);
});

test('users without a password, and bots, cannot sign in by one', async () => {
  const none = await app.make.user();
  await assert.rejects(sign(none.user.username, 'anything'), UNKNOWN);
  const password_hash = await hashPassword('correct horse', app.deps.config.passwordHash);
  const bot = await app.make.user({ columns: { password_hash, kind: 'project_bot' } });
  await assert.rejects(sign(bot.user.username, 'correct horse'), UNKNOWN);
});

test('blocked users are refused with 403 by password and by token', async () => {
  const password_hash = await hashPassword('correct horse', app.deps.config.passwordHash);
  const { user, token } = await app.make.user({ columns: { password_hash, state: 'blocked' } });
  await assert.rejects(sign(user.username, 'correct horse'), { status: 403 });
  await assert.rejects(sign('oauth2', token), { status: 403 });
  await assert.rejects(sign(user.username, 'wrong horse'), UNKNOWN);
});

test('a deploy token works under its own name while it lasts', async () => {
  const project = await app.make.project();
  const make = (username: string, columns: { revoked?: 0 | 1; expires_at?: string }) =>
    app.deps.db
      .insertInto('deploy_tokens')
      .values({
        name: 'deploy',
        username,
        digest: tokenDigest(`secret of ${username}`),
        scopes: '["read_repository"]',
        created_at: timestamp(clock),
        source_type: 'project',
        source_id: project.id,
        ...columns,
      })
      .execute();
  await make('good', { expires_at: '2026-06-16T00:00:00.000Z' });
  await make('revoked', { revoked: 1 });
  await make('expired', { expires_at: '2026-06-15T00:00:00.000Z' });
  const caller = await sign('good', 'secret of good');
  assert.deepEqual([caller.user, caller.scopes, caller.credential.kind], [null, ['read_repository'], 'deploy_token']);
  await assert.rejects(sign('other', 'secret of good'), UNKNOWN);
  await assert.rejects(sign('revoked', 'secret of revoked'), UNKNOWN);
  await assert.rejects(sign('expired', 'secret of expired'), UNKNOWN);
});

test('an expired or revoked token is refused, not tried as a password', async () => {
  const { user } = await app.make.user();
  const token = await app.make.token(user.id);
  await app.deps.db.updateTable('access_tokens').set({ revoked: 1 }).where('digest', '=', tokenDigest(token)).execute();
  await assert.rejects(sign(user.username, token), { status: 401, message: /revoked/ });
});
