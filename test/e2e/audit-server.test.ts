import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../support/app.ts';
import { tellsOf } from '../support/audit-trail.ts';
import { licenseKey, makeIssuer } from '../support/licences.ts';

const SERVER = 'Gitlab::Audit::InstanceScope 1';
const issuer = makeIssuer();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_LICENSE_ISSUER: issuer.publicKey } });
});
after(() => app.close());

const told = (method: Parameters<typeof tellsOf>[1], path: string, json?: object) => tellsOf(app, method, path, json);

test('broadcast messages are told of when they come, change and go', async () => {
  const { made, gist } = await told('POST', '/broadcast_messages', { message: 'Down tonight' });
  assert.deepEqual(gist, {
    event: 'broadcast_message_created',
    on: SERVER,
    target: 'System::BroadcastMessage Down tonight',
    message: 'Broadcast message was created',
  });
  const path = `/broadcast_messages/${made.id}`;
  assert.equal((await told('PUT', path, { theme: 'dark' })).gist.event, 'broadcast_message_updated');
  assert.equal((await told('DELETE', path)).gist.event, 'broadcast_message_deleted');
});

test('a move to another storage is told of to the project', async () => {
  const project = await app.make.project();
  const { gist } = await told('POST', `/projects/${project.id}/repository_storage_moves`);
  await app.settle();
  assert.deepEqual(gist, {
    event: 'repository_storage_move_scheduled',
    on: `Project ${project.id}`,
    target: `Project ${project.full_path}`,
    message: 'Scheduled move of the repository from default to default',
  });
});

test('the group of security policies is told of', async () => {
  const group = await app.make.group();
  const { gist, event } = await told('PUT', '/admin/security/compliance_policy_settings', {
    csp_namespace_id: group.id,
  });
  assert.deepEqual(
    [gist.event, gist.on, event.details.to],
    ['security_policy_settings_updated', SERVER, String(group.id)],
  );
});

test('licenses are told of without their key', async () => {
  const license = licenseKey(app, issuer, { restrictions: { plan: 'ultimate' } });
  const { made, gist, event } = await told('POST', '/license', { license });
  assert.deepEqual(
    [gist.event, gist.on, gist.message],
    ['license_created', SERVER, `Added license ${made.id} of the plan ultimate`],
  );
  assert.ok(!JSON.stringify(event).includes(license.slice(0, 40)));
  assert.equal((await told('DELETE', `/license/${made.id}`)).gist.event, 'license_destroyed');
});
