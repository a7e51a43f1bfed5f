import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { hashPassword } from '../../../core/core.secrets.ts';
import { randomPassword } from '../../identity/index.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
afterEach(async () => {
  await app.deps.db.deleteFrom('instance_values').where('key', '=', 'application_settings').execute();
  await app.deps.settings.refresh();
});

const set = (json: Json) =>
  app.put('/application/settings', { json }).then((response) => expectStatus<Json>(response, 200));
let made = 0;
function create(json: Json) {
  made += 1;
  const username = `chooser-${made}`;
  return app.post('/users', { json: { username, name: username, email: `${username}@forge.example`, ...json } });
}
const ALL = {
  minimum_password_length: 12,
  password_number_required: true,
  password_symbol_required: true,
  password_uppercase_required: true,
  password_lowercase_required: true,
};

test('passwords: as long as administrators say, with the characters that they ask for', async () => {
  expectStatus(await create({ password: 'lowercaseonly' }), 201);
  await set(ALL);
  for (const [password, ...texts] of [
    ['Short-1', 'is too short (minimum is 12 characters)'],
    ['No-digit-at-all', 'must contain at least one number'],
    ['NO-SMALL-LETTER-1', 'must contain at least one lowercase letter'],
    ['no-capital-letter-1', 'must contain at least one uppercase letter'],
    ['NoSymbolAnywhere1', 'must contain at least one symbol character'],
    [
      'short',
      'is too short (minimum is 12 characters)',
      'must contain at least one number',
      'must contain at least one uppercase letter',
      'must contain at least one symbol character',
    ],
  ] as const) {
    const response = expectStatus<Json>(await create({ password }), 400);
    assert.deepEqual(response.errors, { password: texts });
  }
  const { id } = expectStatus<Json>(await create({ password: 'Ääh, sehr gut 9' }), 201);
  const change = (password: string) => app.put(`/users/${id}`, { json: { password } });
  assert.deepEqual(expectStatus<Json>(await change('without-capitals-1'), 400).errors, {
    password: ['must contain at least one uppercase letter'],
  });
  expectStatus(await change('With-capitals-1'), 200);
  expectStatus(await app.put(`/users/${id}`, { json: { name: 'No password' } }), 200);
});

test('passwords: those that the server makes keep every rule', async () => {
  await set({ ...ALL, minimum_password_length: 128 });
  expectStatus(await create({ force_random_password: true }), 201);
  const { settings } = app.deps;
  assert.equal(randomPassword(settings.now).length, 128);
  await set({ minimum_password_length: 8 });
  assert.match(randomPassword(settings.now), /^\S{24}$/);
  assert.notEqual(randomPassword(settings.now), randomPassword(settings.now));
});

test('wrong passwords in a row close a name as often and as long as the settings say', async () => {
  const password_hash = await hashPassword('correct horse', app.deps.config.passwordHash);
  const { user } = await app.make.user({ columns: { password_hash } });
  const sign = async (password: string) =>
    (
      await app.instance.server.app.inject({
        method: 'POST',
        url: '/oauth/token',
        payload: { grant_type: 'password', username: user.username, password },
      })
    ).statusCode;
  await set({ max_login_attempts: 2, failed_login_attempts_unlock_period_in_minutes: 1 });
  for (const status of [400, 400]) assert.equal(await sign('wrong'), status);
  assert.equal(await sign('correct horse'), 429);
  clock.advance(60_000);
  assert.equal(await sign('correct horse'), 200);
  await set({ max_login_attempts: null, failed_login_attempts_unlock_period_in_minutes: null });
  for (let n = 0; n < 9; n += 1) assert.equal(await sign('wrong'), 400);
  assert.equal(await sign('correct horse'), 200);
});
