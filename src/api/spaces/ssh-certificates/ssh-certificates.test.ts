import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { oneAuditOf } from '../../../../test/support/audit-trail.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { makeSshKeyPair } from '../../../core/ssh-key-pair.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const newKey = (comment = 'ca@example.org') => makeSshKeyPair(comment).publicKey;

async function newGroup(): Promise<{ owner: TestUser; group: Namespace; at: string; id: number }> {
  const group = await app.make.group();
  const owner = await app.make.user();
  await app.make.member({ group }, owner.user, 50);
  return { owner, group, id: group.id, at: `/groups/${group.id}/ssh_certificates` };
}

test('an owner adds, lists and removes authorities, which is told in audit events', async () => {
  const { owner, at, id } = await newGroup();
  const key = newKey();
  let made = { id: 0, created_at: '' };
  const created = await oneAuditOf(app, async () => {
    made = expectStatus(await app.post(at, { token: owner.token, json: { title: ' Office ', key } }), 201);
  });
  assert.deepEqual([created.event_name, created.entity_id], ['create_ssh_certificate', id]);
  assert.deepEqual(made, {
    id: made.id,
    title: 'Office',
    key: key.split(' ').slice(0, 2).join(' '),
    created_at: made.created_at,
  });
  const listed = await app.get(at, { token: owner.token });
  assert.deepEqual(expectStatus(listed, 200), [made]);
  assert.equal(listed.headers['x-total'], '1');
  const deleted = await oneAuditOf(app, async () => {
    expectStatus(await app.delete(`${at}/${made.id}`, { token: owner.token }), 204);
  });
  assert.equal(deleted.event_name, 'delete_ssh_certificate');
  assert.deepEqual(expectStatus(await app.get(at, { token: owner.token }), 200), []);
  const gone = await app.delete(`${at}/${made.id}`, { token: owner.token });
  assert.deepEqual([gone.statusCode, gone.json().message], [404, 'SSH Certificate not found']);
});

test('what is no key, or taken, or has no title, is refused in the words of the platform', async () => {
  const { owner, at } = await newGroup();
  const other = await newGroup();
  const key = newKey();
  const post = async (json: Record<string, unknown>, to = at, token = owner.token) => {
    const response = await app.post(to, { token, json });
    return [response.statusCode, response.json().message];
  };
  assert.deepEqual(await post({ key }), [400, 'title is missing']);
  assert.deepEqual(await post({ title: 't' }), [400, 'key is missing']);
  assert.deepEqual(await post({ title: ' ', key }), [422, "Validation failed: Title can't be blank"]);
  assert.deepEqual(await post({ title: 'x'.repeat(257), key }), [
    422,
    'Validation failed: Title is too long (maximum is 256 characters)',
  ]);
  for (const wrong of ['no key', 'ssh-rsa AAAA', 'ssh-dss AAAAB3NzaC1kc3MAAACB']) {
    assert.deepEqual(await post({ title: 't', key: wrong }), [422, 'Validation failed: Invalid key'], wrong);
  }
  assert.equal((await post({ title: 't', key }))[0], 201);
  const taken =
    'Validation failed: Fingerprint must be unique. This CA has already been configured for another namespace.';
  assert.deepEqual(await post({ title: 't', key: `${key} again` }, other.at, other.owner.token), [422, taken]);
});

test('only owners of groups at the top have them; for others the group is closed, or not there', async () => {
  const { owner, group, at, id } = await newGroup();
  const json = { title: 't', key: newKey() };
  const maintainer = await app.make.user();
  await app.make.member({ group }, maintainer.user, 40);
  const stranger = await app.make.user();
  const made = expectStatus<{ id: number }>(await app.post(at, { token: owner.token, json }), 201);
  for (const [token, status] of [
    [maintainer.token, 403],
    [stranger.token, 404],
    [null, 401],
  ] as const) {
    assert.equal((await app.get(at, { token })).statusCode, status);
    assert.equal((await app.post(at, { token, json })).statusCode, status);
    assert.equal((await app.delete(`${at}/${made.id}`, { token })).statusCode, status);
  }
  const below = expectStatus<{ id: number }>(
    await app.post('/groups', { token: owner.token, json: { name: 'below', path: 'below', parent_id: id } }),
    201,
  );
  const response = await app.post(`/groups/${below.id}/ssh_certificates`, { token: owner.token, json });
  assert.deepEqual([response.statusCode, response.json().message], [403, '403 Forbidden - Group']);
  const other = await newGroup();
  const across = await app.delete(`${other.at}/${made.id}`, { token: other.owner.token });
  assert.equal(across.statusCode, 404, 'that of another group');
});
