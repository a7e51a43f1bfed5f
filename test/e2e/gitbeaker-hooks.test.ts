import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { type HookReceiver, receiveHooks } from '../support/hook-receiver.ts';
import { pushTo } from '../support/hooks.ts';

/** The unmodified JavaScript client has hooks told of what happens. It knows neither their tests nor their logs. */
let app: TestApp;
let receiver: HookReceiver;
let api: InstanceType<typeof Gitlab<false>>;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  receiver = await receiveHooks();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
});
beforeEach(() => {
  receiver.calls.length = 0;
});
after(async () => {
  await app.close();
  await receiver.close();
});

const deliveries = () => receiver.calls.map(({ headers, path }) => [headers['x-gitlab-event'], path]);

test('a webhook of a project is made, told, changed, listed and removed', async () => {
  const { id } = await api.Projects.create({ name: 'Hooked', initializeWithReadme: true });
  const options = {
    pushEvents: true,
    issuesEvents: true,
    token: 'sesame',
    pushEventsBranchFilter: 'main',
    urlVariables: [{ key: 'place', value: 'here' }],
    customHeaders: [{ key: 'X-Team', value: 'tools' }],
  };
  const made = await api.ProjectHooks.add(id, `${receiver.url}/{place}`, options);
  assert.deepEqual(
    [made.push_events, made.issues_events, made.tag_push_events, made.push_events_branch_filter, made.alert_status],
    [true, true, false, 'main', 'executable'],
  );
  assert.deepEqual([made.url_variables, made.custom_headers], [[{ key: 'place' }], [{ key: 'X-Team' }]]);
  assert.equal('token' in made, false);
  await api.Issues.create(id, 'Leak');
  await app.drain();
  await pushTo(app, id, 'aside');
  await pushTo(app, id, 'main');
  await app.drain();
  assert.deepEqual(deliveries(), [
    ['Issue Hook', '/here'],
    ['Push Hook', '/here'],
  ]);
  const [first] = receiver.calls;
  assert.deepEqual([first!.headers['x-gitlab-token'], first!.headers['x-team']], ['sesame', 'tools']);

  const changed = await api.ProjectHooks.edit(id, made.id, `${receiver.url}/there`, { issuesEvents: false });
  assert.deepEqual([changed.url, changed.push_events, changed.issues_events], [`${receiver.url}/there`, true, false]);
  assert.deepEqual((await api.ProjectHooks.show(id, made.id)).url, changed.url);
  assert.deepEqual(
    (await api.ProjectHooks.all(id)).map((hook) => hook.id),
    [made.id],
  );
  await api.ProjectHooks.remove(id, made.id);
  await assert.rejects(api.ProjectHooks.show(id, made.id), /404|Not Found/i);
  await assert.rejects(api.ProjectHooks.add(id, 'ftp://example.org'), /Invalid url given|Unprocessable/i);
});

test('a webhook of a group is told of what happens in its projects', async () => {
  const group = await api.Groups.create('Hooking', 'hooking');
  const made = await api.GroupHooks.add(group.id, `${receiver.url}/group`, {
    pushEvents: false,
    subgroupEvents: true,
    mergeRequestsEvents: true,
  });
  assert.deepEqual(
    [made.push_events, made.subgroup_events, made.merge_requests_events, made.group_id],
    [false, true, true, group.id],
  );
  await api.Groups.create('Below', 'below', { parentId: group.id });
  const { id } = await api.Projects.create({ name: 'Inside', namespaceId: group.id, initializeWithReadme: true });
  await pushTo(app, id, 'aside');
  await api.MergeRequests.create(id, 'aside', 'main', 'More');
  await app.drain();
  assert.deepEqual(deliveries(), [
    ['Subgroup Hook', '/group'],
    ['Merge Request Hook', '/group'],
  ]);
  const changed = await api.GroupHooks.edit(group.id, made.id, made.url, { subgroupEvents: false });
  assert.deepEqual([changed.subgroup_events, changed.merge_requests_events], [false, true]);
  assert.deepEqual((await api.GroupHooks.show(group.id, made.id)).url, made.url);
  assert.equal((await api.GroupHooks.all(group.id)).length, 1);
  await api.GroupHooks.remove(group.id, made.id);
  assert.deepEqual(await api.GroupHooks.all(group.id), []);
});

test('a system hook is made, tested, told and removed', async () => {
  const made = await api.SystemHooks.create(`${receiver.url}/system`, { token: 'open', mergeRequestsEvents: true });
  assert.deepEqual(
    [made.push_events, made.merge_requests_events, made.repository_update_events, made.enable_ssl_verification],
    [false, true, true, true],
  );
  const sent = await api.SystemHooks.test(made.id);
  assert.deepEqual([sent.event_name, sent.project_id, sent.owner_name], ['project_create', 1, 'Someone']);
  const [call] = receiver.calls;
  assert.deepEqual(
    [call!.headers['x-gitlab-event'], call!.headers['x-gitlab-token'], call!.body],
    ['System Hook', 'open', sent],
  );
  await api.Projects.create({ name: 'Told' });
  await app.drain();
  assert.deepEqual(
    receiver.calls.slice(1).map(({ body }) => [body.event_name, body.name]),
    [['project_create', 'Told']],
  );
  assert.deepEqual(
    (await api.SystemHooks.all()).map(({ id }) => id),
    [made.id],
  );
  await api.SystemHooks.remove(made.id);
  assert.deepEqual(await api.SystemHooks.all(), []);
  await assert.rejects(api.SystemHooks.test(made.id), /404|Not Found/i);
});
