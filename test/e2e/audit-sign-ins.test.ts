import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashPassword } from '../../src/core/core.secrets.ts';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../support/app.ts';
import { auditOf, gist, oneAuditOf } from '../support/audit-trail.ts';

const PASSWORD = 'correct horse';
const DAY = 86_400_000;
const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
  await app.deps.jobs.maintain();
});
after(() => app.close());

async function person(columns: object = {}) {
  const password_hash = await hashPassword(PASSWORD, app.deps.config.passwordHash);
  return (await app.make.user({ columns: { password_hash, ...columns } })).user;
}
const signIn = (username: string, password = PASSWORD) =>
  app.post('/oauth/token', { token: null, json: { grant_type: 'password', username, password } });
const clone = (username: string, password: string) =>
  app.instance.server.app.inject({
    url: '/a/b.git/info/refs?service=git-upload-pack',
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  });

test('who does not sign in is told of by the name that was given, not by the password', async () => {
  const user = await person();
  for (const attempt of [() => signIn(user.username, 'wrong horse'), () => clone(user.username, 'wrong horse')]) {
    const event = await oneAuditOf(app, async () => assert.ok([400, 401].includes((await attempt()).statusCode)));
    assert.deepEqual(gist(event), {
      event: 'login_failed_with_standard_authentication',
      on: 'Gitlab::Audit::InstanceScope 1',
      target: `User ${user.username}`,
      message: 'Failed to login with STANDARD authentication',
    });
    const { author_name, author_class, target_id, ip_address } = event.details;
    assert.deepEqual(
      [event.author_id, author_name, author_class, target_id, ip_address],
      [-1, user.username, 'Gitlab::Audit::UnauthenticatedAuthor', user.id, '127.0.0.1'],
    );
    assert.doesNotMatch(JSON.stringify(event), /horse/);
  }
  const nobody = await oneAuditOf(app, async () => expectStatus(await signIn(`nobody${'x'.repeat(400)}`), 400));
  assert.deepEqual([nobody.details.target_id, String(nobody.details.author_name).length], [null, 255]);
  const blocked = await person({ state: 'blocked' });
  const refused = await oneAuditOf(app, async () => expectStatus(await signIn(blocked.username), 400));
  assert.equal(refused.details.target_id, blocked.id);
  assert.equal((await clone('a\0b', 'x')).statusCode, 401);
  assert.deepEqual(await auditOf(app, async () => expectStatus(await signIn(user.username), 200)), []);
});

test('many failures are a few events, whatever the names, and go when their days are over', async () => {
  clock.advance(3_600_000);
  const events = await auditOf(app, async () => {
    for (let n = 0; n < 12; n += 1) expectStatus(await signIn(`guess-${n}`), 400);
  });
  assert.equal(events.length, 10);
  assert.equal(events.at(-1)!.details.further, 'Further failures from this address are not recorded in this hour');
  const group = await app.make.group();
  expectStatus(await app.put(`/groups/${group.id}`, { json: { name: 'Kept' } }), 200);
  const count = async () =>
    (await app.deps.db.selectFrom('audit_events').select('id').where('event_name', 'like', 'login_failed%').execute())
      .length;
  clock.advance(89 * DAY);
  await app.drain();
  assert.ok((await count()) >= 10);
  clock.advance(3 * DAY);
  await app.drain();
  assert.equal(await count(), 0);
  const left = await app.deps.db.selectFrom('audit_events').select('event_name').execute();
  assert.ok(left.some(({ event_name }) => event_name === 'group_name_updated'));
});

for (const [what, meanwhile] of [
  ['is blocked', { state: 'blocked' }],
  ['gets another password', { password_hash: 'another' }],
] as const) {
  test(`a user who ${what} while their password is checked gets no token`, async () => {
    const user = await person();
    const { passwords } = app.deps;
    const { check } = passwords;
    passwords.check = async (...args) => {
      const fits = await check.apply(passwords, args);
      await app.deps.db.updateTable('users').set(meanwhile).where('id', '=', user.id).execute();
      return fits;
    };
    try {
      expectStatus(await signIn(user.username), 400);
    } finally {
      passwords.check = check;
    }
    const tokens = await app.deps.db.selectFrom('oauth_tokens').select('id').where('user_id', '=', user.id).execute();
    assert.deepEqual(tokens, []);
  });
}
