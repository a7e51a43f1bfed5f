import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';

interface Setting {
  level: string;
  notification_email?: string;
  events?: Record<string, boolean | null>;
}
let app: TestApp;
let ada: TestUser;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const get = async (path: string, token: string) =>
  expectStatus<Setting>(await app.get(`${path}notification_settings`, { token }), 200);
const put = async (path: string, token: string, json: object, status = 200) =>
  expectStatus<Setting>(await app.put(`${path}notification_settings`, { token, json }), status);

test('whoever has said nothing takes part, and is told of the rest as everywhere', async () => {
  ada = await app.make.user();
  assert.deepEqual(await get('/', ada.token), { level: 'participating', notification_email: ada.user.email });
  const group = await app.make.group({ visibility: 'public' });
  const project = await app.make.project({ namespace: group, visibility: 'public' });
  assert.deepEqual(await get(`/groups/${group.id}/`, ada.token), { level: 'global' });
  assert.deepEqual(await get(`/projects/${project.id}/`, ada.token), { level: 'global' });
});

test('a level is kept for each place and each user', async () => {
  const bob = await app.make.user();
  const group = await app.make.group({ visibility: 'public' });
  const project = await app.make.project({ namespace: group, visibility: 'public' });
  const levels = ['disabled', 'watch', 'global', 'mention', 'participating'];
  for (const path of ['/', `/groups/${group.id}/`, `/projects/${encodeURIComponent(project.full_path)}/`]) {
    for (const level of levels) {
      assert.equal((await put(path, bob.token, { level })).level, level);
      assert.equal((await get(path, bob.token)).level, level);
    }
    assert.notEqual((await get(path, ada.token)).level, 'disabled');
  }
});

test('events are told and kept with the level custom alone', async () => {
  const { token } = await app.make.user();
  const project = await app.make.project({ visibility: 'public' });
  const path = `/projects/${project.id}/`;
  const custom = await put(path, token, { level: 'custom', new_issue: true, close_issue: 'false' });
  assert.deepEqual(custom, {
    level: 'custom',
    events: {
      new_release: null,
      new_note: null,
      new_issue: true,
      reopen_issue: null,
      close_issue: false,
      reassign_issue: null,
      issue_due: null,
      new_merge_request: null,
      push_to_merge_request: null,
      reopen_merge_request: null,
      close_merge_request: null,
      reassign_merge_request: null,
      change_reviewer_merge_request: null,
      merge_merge_request: null,
      failed_pipeline: true,
      fixed_pipeline: true,
      success_pipeline: null,
      moved_project: true,
      merge_when_pipeline_succeeds: null,
      approver: null,
      new_epic: null,
      service_account_failed_pipeline: null,
      service_account_success_pipeline: null,
      service_account_fixed_pipeline: null,
    },
  });
  assert.deepEqual(await put(path, token, { level: 'watch' }), { level: 'watch' });
  const again = await put(path, token, { level: 'custom', failed_pipeline: false });
  assert.deepEqual([again.events!.new_issue, again.events!.failed_pipeline], [true, false]);
  assert.deepEqual(await put(path, token, {}), again);
  const everywhere = await put('/', token, { level: 'custom', new_release: true });
  assert.equal(everywhere.events!.new_release, true);
});

test('a lower plan has no events of its own', async () => {
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  try {
    const { token } = await free.make.user();
    const json = { level: 'custom', new_epic: true, new_issue: true };
    const { events } = expectStatus<Setting>(await free.put('/notification_settings', { token, json }), 200);
    assert.deepEqual([events!.new_issue, 'new_epic' in events!], [true, false]);
  } finally {
    await free.close();
  }
});

test('mail goes to an address that is confirmed', async () => {
  const { user, token } = await app.make.user();
  const add = async (email: string, skip_confirmation: boolean) =>
    expectStatus(await app.post(`/users/${user.id}/emails`, { json: { email, skip_confirmation } }), 201);
  await add('second@example.org', true);
  await add('third@example.org', false);
  const refusal = {
    message: 'notification_email must be an email you have verified',
    errors: { notification_email: ['must be an email you have verified'] },
  };
  for (const email of ['third@example.org', 'nobody@example.org', ada.user.email, '']) {
    const refused = await put('/', token, { notification_email: email, level: 'watch' }, 400);
    assert.deepEqual(refused, refusal);
  }
  assert.equal((await get('/', token)).level, 'participating');
  const second = await put('/', token, { notification_email: 'SECOND@example.org' });
  assert.equal(second.notification_email, 'second@example.org');
  assert.equal((await get('/', token)).notification_email, 'second@example.org');
  assert.equal((await put('/', token, { notification_email: user.email })).notification_email, user.email);
});

test('what is no level or no flag is refused', async () => {
  const { token } = await app.make.user();
  assert.deepEqual(await put('/', token, { level: 'foo' }, 400), { message: "'foo' is not a valid level" });
  assert.deepEqual(await put('/', token, { level: 'constructor' }, 400), {
    message: "'constructor' is not a valid level",
  });
  assert.deepEqual(await put('/', token, { level: 'custom', new_issue: 'maybe' }, 400), {
    error: 'new_issue is invalid',
    message: 'new_issue is invalid',
  });
});

test('nobody has a setting of what they do not see, and anonymous callers have none', async () => {
  const { token } = await app.make.user();
  const group = await app.make.group({ visibility: 'private' });
  const project = await app.make.project({ namespace: group, visibility: 'private' });
  const open = await app.make.project({ visibility: 'public' });
  for (const path of [`/groups/${group.id}/`, `/projects/${project.id}/`, '/projects/999999/', '/groups/999999/']) {
    await put(path, token, { level: 'watch' }, 404);
    expectStatus(await app.get(`${path}notification_settings`, { token }), 404);
  }
  for (const path of ['/', `/projects/${open.id}/`]) {
    expectStatus(await app.get(`${path}notification_settings`, { token: null }), 401);
    expectStatus(await app.put(`${path}notification_settings`, { token: null, json: { level: 'watch' } }), 401);
  }
});

test('the project shows its members their level, and settings go with what they are of', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const { user, token } = await app.make.user();
  await app.make.member({ project }, user, 30);
  await put(`/projects/${project.id}/`, token, { level: 'watch' });
  const shown = expectStatus<{ permissions: { project_access: unknown } }>(
    await app.get(`/projects/${project.id}`, { token }),
    200,
  );
  assert.deepEqual(shown.permissions.project_access, { access_level: 30, notification_level: 2 });
  expectStatus(await app.delete(`/projects/${project.id}`), 202);
  await app.drain();
  const rows = await app.deps.db
    .selectFrom('notification_settings')
    .select('user_id')
    .where('source_type', '=', 'project')
    .where('source_id', '=', project.id)
    .execute();
  assert.deepEqual(rows, []);
});

test('changes at the same time are all kept', async () => {
  const { token } = await app.make.user();
  const names = ['new_issue', 'close_issue', 'new_note', 'approver', 'issue_due', 'new_release'];
  await Promise.all(names.map((name) => put('/', token, { level: 'custom', [name]: true })));
  const { events } = await get('/', token);
  for (const name of names) assert.equal(events![name], true, name);
});
