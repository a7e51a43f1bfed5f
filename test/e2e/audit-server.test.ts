import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { auditedRequest, auditOf } from '../support/audit-trail.ts';
import { licenseKey, makeIssuer } from '../support/licences.ts';

const SERVER = 'Gitlab::Audit::InstanceScope 1';
const issuer = makeIssuer();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_LICENSE_ISSUER: issuer.publicKey } });
});
after(() => app.close());

const audited = (method: Parameters<typeof auditedRequest>[1], path: string, json?: object) =>
  auditedRequest(app, method, path, json);

test('broadcast messages are told of when they come, change and go', async () => {
  const { made, gist } = await audited('POST', '/broadcast_messages', { message: 'Down tonight' });
  assert.deepEqual(gist, {
    event: 'broadcast_message_created',
    on: SERVER,
    target: 'System::BroadcastMessage Down tonight',
    message: 'Broadcast message was created',
  });
  const path = `/broadcast_messages/${made.id}`;
  assert.equal((await audited('PUT', path, { theme: 'dark' })).gist.event, 'broadcast_message_updated');
  assert.equal((await audited('DELETE', path)).gist.event, 'broadcast_message_deleted');
});

test('a move to another storage is told of to the project', async () => {
  const project = await app.make.project();
  const { gist } = await audited('POST', `/projects/${project.id}/repository_storage_moves`);
  await app.drain();
  assert.deepEqual(gist, {
    event: 'repository_storage_move_scheduled',
    on: `Project ${project.id}`,
    target: `Project ${project.full_path}`,
    message: 'Scheduled move of the repository from default to default',
  });
});

test('moves of the wiki of a group and of a snippet are told of to the group and to the server', async () => {
  const group = await app.make.group();
  const files = [{ file_path: 'a.txt', content: 'a' }];
  const snippet = expectStatus<{ id: number }>(
    await app.post('/snippets', { json: { title: 'A', visibility: 'private', files } }),
    201,
  );
  for (const [path, on, target] of [
    [`/groups/${group.id}`, `Group ${group.id}`, `Group ${group.full_path}`],
    [`/snippets/${snippet.id}`, SERVER, `Snippet Snippet ${snippet.id}`],
  ] as const) {
    const moved = await audited('POST', `${path}/repository_storage_moves`);
    await app.drain();
    const { event, ...gist } = moved.gist;
    assert.deepEqual([event, gist.on, gist.target], ['repository_storage_move_scheduled', on, target]);
  }
});

test('flags of the server are told of with what they were', async () => {
  const { gist, event } = await audited('POST', '/features/new_library', { value: 'true' });
  assert.deepEqual(gist, {
    event: 'server_feature_created',
    on: SERVER,
    target: 'Feature new_library',
    message: 'Set the feature flag new_library of the server',
  });
  assert.equal(event.details.to, 'boolean: true');
  assert.deepEqual(await auditOf(app, () => app.post('/features/new_library', { json: { value: 'true' } })), []);
  const some = await audited('POST', '/features/new_library', { value: 'true', user: 'root' });
  assert.deepEqual(
    [some.gist.event, some.event.details.from, some.event.details.to],
    ['server_feature_updated', 'boolean: true', 'boolean: true; actors: User:1'],
  );
  assert.equal((await audited('DELETE', '/features/new_library')).gist.event, 'server_feature_deleted');
  assert.deepEqual(await auditOf(app, () => app.delete('/features/new_library')), []);
});

test('the look of the server is told of bit by bit', async () => {
  const { gist } = await audited('PUT', '/application/appearance', { header_message: 'Hello' });
  assert.deepEqual(gist, {
    event: 'appearance_updated',
    on: SERVER,
    target: 'Appearance Appearance',
    message: 'Changed header message from  to Hello',
  });
  assert.deepEqual(
    await auditOf(app, () => app.put('/application/appearance', { json: { header_message: 'Hello' } })),
    [],
  );
});

test('the group of security policies is told of', async () => {
  const group = await app.make.group();
  const { gist, event } = await audited('PUT', '/admin/security/compliance_policy_settings', {
    csp_namespace_id: group.id,
  });
  assert.deepEqual(
    [gist.event, gist.on, event.details.to],
    ['security_policy_settings_updated', SERVER, String(group.id)],
  );
});

test('licenses are told of without their key', async () => {
  const license = licenseKey(app, issuer, { restrictions: { plan: 'ultimate' } });
  const { made, gist, event } = await audited('POST', '/license', { license });
  assert.deepEqual(
    [gist.event, gist.on, gist.message],
    ['license_created', SERVER, `Added license ${made.id} of the plan ultimate`],
  );
  assert.ok(!JSON.stringify(event).includes(license.slice(0, 40)));
  assert.equal((await audited('DELETE', `/license/${made.id}`)).gist.event, 'license_destroyed');
});
