import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { today } from '../core/clock.ts';
import type { User } from '../db/tables/users.table.ts';
import { billableAmong, countBillable } from './billable-users.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const count = (plan: 'free' | 'premium' | 'ultimate') => countBillable(app.deps.db, plan, today(app.deps.clock));
const counts = async () => [await count('premium'), await count('ultimate')];

async function change(user: User, columns: Partial<Pick<User, 'state' | 'kind'>>): Promise<void> {
  await app.deps.db.updateTable('users').set(columns).where('id', '=', user.id).execute();
}

test('Premium bills every active person; Ultimate those who are more than a guest somewhere', async () => {
  const [premium, ultimate] = (await counts()) as [number, number];
  const since = async () => {
    const [a, b] = (await counts()) as [number, number];
    return [a - premium, b - ultimate];
  };
  const { user } = await app.make.user();
  assert.deepEqual(await since(), [1, 0], 'who belongs to nothing');
  const group = await app.make.group();
  const before = await since();
  assert.deepEqual(before, [1, 1], 'the administrator owns the group');
  const project = await app.make.project({ namespace: group });
  await app.make.member({ group }, user, 5);
  await app.make.member({ project }, user, 10);
  assert.deepEqual(await since(), before, 'minimal access, and a guest');
  const planner = await app.make.project();
  await app.make.member({ project: planner }, user, 15);
  const [, billed] = await since();
  assert.equal(billed, 2, 'a planner');
  const memberships = app.deps.db.updateTable('members').where('user_id', '=', user.id).where('access_level', '=', 15);
  await memberships.set({ expires_at: today(app.deps.clock) }).execute();
  assert.equal((await since())[1], 1, 'a membership that ends today');
  await memberships.set({ expires_at: '2999-01-01', state: 'awaiting' }).execute();
  assert.equal((await since())[1], 1, 'one that waits for approval');
  await memberships.set({ state: 'active' }).execute();
  assert.equal((await since())[1], 2);
  for (const columns of [
    { state: 'blocked' },
    { state: 'deactivated' },
    { state: 'banned' },
    { state: 'blocked_pending_approval' },
    { state: 'ldap_blocked' },
    { state: 'active', kind: 'project_bot' },
    { state: 'active', kind: 'group_bot' },
    { state: 'active', kind: 'service_account' },
    { state: 'active', kind: 'ghost' },
  ] as const) {
    await change(user, columns);
    assert.deepEqual(await since(), [0, 1], JSON.stringify(columns));
  }
  await change(user, { state: 'active', kind: 'human' });
});

test('a person with a project of their own is billed on Ultimate, as its owner', async () => {
  const { user, token } = await app.make.user();
  const before = await count('ultimate');
  expectStatus(await app.post('/projects', { token, json: { name: 'own' } }), 201);
  assert.equal(await count('ultimate'), before + 1);
  assert.deepEqual([...(await billableAmong(app.deps, [user.id]))], [user.id]);
  assert.deepEqual([...(await billableAmong(app.deps, []))], []);
});

test('administrators are told who takes a seat by the rule of the plan', async () => {
  const { user } = await app.make.user();
  const seat = async () =>
    expectStatus<{ using_license_seat: boolean }>(await app.get(`/users/${user.id}`), 200).using_license_seat;
  assert.equal(await seat(), false);
  app.deps.config.plan = 'premium';
  assert.equal(await seat(), true);
  await change(user, { state: 'blocked' });
  assert.equal(await seat(), false);
  app.deps.config.plan = 'ultimate';
});
