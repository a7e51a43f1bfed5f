import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../test/support/hook-receiver.ts';
import { makeHook } from '../../test/support/hooks.ts';

type Json = Record<string, unknown> & { id: number };
let app: TestApp;
let receiver: HookReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  receiver = await receiveHooks();
});
beforeEach(async () => {
  await app.deps.db.deleteFrom('web_hooks').execute();
  app.deps.recent.invalidate();
  receiver.calls.length = 0;
});
after(async () => {
  await app.close();
  await receiver.close();
});

const post = async (path: string, json: object) => expectStatus<Json>(await app.post(path, { json }), 201);
const heard = () => receiver.calls.map(({ body }) => body.event_name ?? body.object_kind);

test('a system hook hears of what is made and removed, in that order', async () => {
  await makeHook(app, '', { url: receiver.url, repository_update_events: false });
  const group = await post('/groups', { name: 'Made', path: 'made' });
  const project = await post('/projects', { name: 'inside', namespace_id: group.id });
  await app.drain();
  expectStatus(await app.delete(`/projects/${project.id}`), 202);
  await app.drain();
  expectStatus(await app.delete(`/groups/${group.id}`), 202);
  await app.drain();
  const triggers = ['group_create', 'project_create', 'project_destroy', 'group_destroy'];
  assert.deepEqual(
    heard().filter((name) => triggers.includes(String(name))),
    triggers,
  );
});

test('a hook of a group hears of projects, subgroups and members below it, those that are removed, too', async () => {
  const group = await app.make.group();
  const flags = { push_events: false, project_events: true, subgroup_events: true, member_events: true };
  await makeHook(app, `/groups/${group.id}`, { url: receiver.url, ...flags });
  const below = await post('/groups', { name: 'Below', path: 'below', parent_id: group.id });
  const project = await post('/projects', { name: 'inside', namespace_id: below.id });
  const { user } = await app.make.user();
  await post(`/groups/${group.id}/members`, { user_id: user.id, access_level: 30 });
  await app.drain();
  expectStatus(await app.delete(`/projects/${project.id}`), 202);
  await app.drain();
  expectStatus(await app.delete(`/groups/${below.id}`), 202);
  await app.drain();
  const names = heard();
  for (const name of [
    'subgroup_create',
    'project_create',
    'user_add_to_group',
    'project_destroy',
    'subgroup_destroy',
  ]) {
    assert.ok(names.includes(name), `${name} of ${names.join(', ')}`);
  }
});

test('a hook hears only of what its flags name', async () => {
  const project = await app.make.project();
  const at = `/projects/${project.id}`;
  await makeHook(app, at, { url: `${receiver.url}/issues`, push_events: false, issues_events: true });
  await makeHook(app, at, { url: `${receiver.url}/notes`, push_events: false, note_events: true });
  await post(`${at}/issues`, { title: 'open' });
  await post(`${at}/issues`, { title: 'closed to most', confidential: true });
  await post(`${at}/issues/1/notes`, { body: 'said' });
  await app.drain();
  const of = (path: string) => receiver.calls.filter((call) => call.path === path).map(({ body }) => body.object_kind);
  assert.deepEqual(of('/issues'), ['issue']);
  assert.deepEqual(of('/notes'), ['note']);
});
