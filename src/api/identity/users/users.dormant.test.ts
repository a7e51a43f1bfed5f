import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { deactivateDormant } from './users.dormant.ts';

let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
afterEach(() => resetSettings(app));

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
const run = () => deactivateDormant(app.deps, new AbortController().signal);

async function seen(days: number | null, columns: Partial<User> = {}): Promise<() => Promise<string>> {
  const last_activity_on = days === null ? null : ago(days).slice(0, 10);
  const { user } = await app.make.user({ columns: { created_at: ago(400), last_activity_on, ...columns } });
  return async () =>
    (await app.deps.db.selectFrom('users').select('state').where('id', '=', user.id).executeTakeFirstOrThrow()).state;
}

test('users who were not seen for long are deactivated every night, where administrators want it', async () => {
  const people = {
    long: await seen(90),
    lately: await seen(89),
    never: await seen(null),
    new: await seen(null, { created_at: ago(6) }),
    signedIn: await seen(90, { current_sign_in_at: ago(3) }),
    blocked: await seen(200, { state: 'blocked' }),
    bot: await seen(200, { kind: 'service_account' }),
    administrator: await seen(200, { admin: 1 }),
  };
  const states = async () =>
    Object.fromEntries(await Promise.all(Object.entries(people).map(async ([name, state]) => [name, await state()])));
  const before = await states();
  await run();
  assert.deepEqual(await states(), before);
  await changeSettings(app, { deactivate_dormant_users: true });
  await run();
  const gone = { long: 'deactivated', never: 'deactivated', administrator: 'deactivated' };
  assert.deepEqual(await states(), { ...before, ...gone });
  const events = await app.deps.db.selectFrom('audit_events').select('event_name').execute();
  assert.equal(events.filter(({ event_name }) => event_name === 'user_deactivate').length, 3);
  await changeSettings(app, { deactivate_dormant_users_period: 365 });
  const later = await seen(364);
  await run();
  assert.equal(await later(), 'active');
});

test('the last administrator stays', async () => {
  await changeSettings(app, { deactivate_dormant_users: true });
  await app.deps.db
    .updateTable('users')
    .set({ last_activity_on: '2000-01-01', current_sign_in_at: null })
    .where('id', '=', 1)
    .execute();
  await run();
  const { state } = await app.deps.db.selectFrom('users').select('state').where('id', '=', 1).executeTakeFirstOrThrow();
  assert.equal(state, 'active');
});
