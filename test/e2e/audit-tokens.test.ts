import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { auditedRequest, auditOf, gist } from '../support/audit-trail.ts';
import type { TestUser } from '../support/factories.ts';

type Json = Record<string, unknown>;
const SSH = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTRxJKcKmzQGaHj8r2uXe0b6cTTnzcRAaFHj6qW3zE1 x';
let app: TestApp;
let ana: TestUser;
before(async () => {
  app = await buildTestApp();
  ana = await app.make.user({ username: 'ana' });
});
after(() => app.close());

/** What a request answers, and the one event of it. */
const audited = (method: Parameters<typeof auditedRequest>[1], path: string, json?: Json, token?: string) =>
  auditedRequest(app, method, path, json, token);

/** The text of a secret is nowhere in the event. */
const hides = (event: unknown, secret: unknown) => {
  assert.ok(typeof secret === 'string' && secret.length > 10);
  assert.ok(!JSON.stringify(event).includes(secret));
};

test('personal and impersonation tokens are told of by name and id, to their user', async () => {
  const json = { name: 'ci', scopes: ['api', 'read_user'], expires_at: '2027-01-01' };
  for (const [path, words] of [
    [`/users/${ana.user.id}/personal_access_tokens`, 'personal access token'],
    [`/users/${ana.user.id}/impersonation_tokens`, 'impersonation token'],
  ] as const) {
    const { made, event, gist: what } = await audited('POST', path, json);
    hides(event, made.token);
    assert.deepEqual(what, {
      event: 'personal_access_token_created',
      on: `User ${ana.user.id}`,
      target: 'PersonalAccessToken ci',
      message: `Created ${words} with id ${made.id} and scopes api, read_user`,
    });
    assert.deepEqual([event.details.target_id, event.details.entity_path], [made.id, 'ana']);
    const gone = await audited('DELETE', path.replace(/^.*personal/, '/personal').concat(`/${made.id}`));
    assert.deepEqual(
      [gone.gist.event, gone.gist.message],
      ['personal_access_token_revoked', `Revoked ${words} with id ${made.id}`],
    );
  }
});

test('a rotation tells of the old token and of the new one, and a rotation of what was rotated of the whole family', async () => {
  const json = { name: 'turn', scopes: ['api'], expires_at: '2027-01-01' };
  const { made } = await audited('POST', `/users/${ana.user.id}/personal_access_tokens`, json);
  let next: Json = {};
  const rotate = (id: unknown) => app.post(`/personal_access_tokens/${id}/rotate`);
  const events = await auditOf(app, async () => {
    next = expectStatus<Json>(await rotate(made.id), 200);
  });
  assert.deepEqual(
    events.map(({ event_name, details }) => [event_name, details.target_id]),
    [
      ['personal_access_token_revoked', made.id],
      ['personal_access_token_created', next.id],
    ],
  );
  const family = await auditOf(app, async () => expectStatus(await rotate(made.id), 400));
  assert.deepEqual(
    family.map(({ event_name, details }) => [event_name, details.target_id]),
    [['personal_access_token_revoked', next.id]],
  );
  assert.deepEqual(await auditOf(app, () => app.delete(`/personal_access_tokens/${made.id}`)), []);
});

test('tokens of projects and groups are told of there, beside the membership of their bot', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  for (const [kind, path, on] of [
    ['project', `/projects/${project.id}/access_tokens`, `Project ${project.id}`],
    ['group', `/groups/${group.id}/access_tokens`, `Group ${group.id}`],
  ] as const) {
    const json = { name: 'bot', scopes: ['api'], expires_at: '2027-01-01', access_level: 30 };
    let made: Json = {};
    const created = await auditOf(app, async () => {
      made = expectStatus<Json>(await app.post(path, { json }), 201);
    });
    assert.deepEqual(
      created.map((event) => [gist(event).event, gist(event).on]),
      [
        ['member_created', on],
        [`${kind}_access_token_created`, on],
      ],
    );
    assert.equal(created[1]!.details.custom_message, `Created ${kind} access token with id ${made.id} and scopes api`);
    const revoked = await auditOf(app, async () => expectStatus(await app.delete(`${path}/${made.id}`), 204));
    assert.deepEqual(
      revoked.map((event) => [gist(event).event, gist(event).on]),
      [
        [`${kind}_access_token_deleted`, on],
        ['member_destroyed', on],
      ],
    );
  }
});

test('deploy tokens are told of by name, id and scopes', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  for (const [kind, name, path, on] of [
    ['project', 'deploy_token', `/projects/${project.id}/deploy_tokens`, `Project ${project.id}`],
    ['group', 'group_deploy_token', `/groups/${group.id}/deploy_tokens`, `Group ${group.id}`],
  ] as const) {
    const { made, event, gist: what } = await audited('POST', path, { name: 'prod', scopes: ['read_repository'] });
    hides(event, made.token);
    const message = `Created ${kind} deploy token with id ${made.id} and scopes read_repository`;
    assert.deepEqual(what, { event: `${name}_created`, on, target: 'DeployToken prod', message });
    const gone = await audited('DELETE', `${path}/${made.id}`);
    assert.deepEqual([gone.gist.event, gone.gist.on], [`${name}_destroyed`, on]);
  }
});

test('deploy keys are told of where they are added, changed, enabled and removed', async () => {
  const [one, two] = [await app.make.project(), await app.make.project()];
  const path = `/projects/${one.id}/deploy_keys`;
  const { made, event, gist: what } = await audited('POST', path, { title: 'deploy', key: SSH, can_push: true });
  const on = `Project ${one.id}`;
  const target = 'DeployKey deploy';
  assert.deepEqual(what, { event: 'deploy_key_added', on, target, message: 'Added deploy key' });
  assert.equal(event.details.can_push, true);
  const changed = await audited('PUT', `${path}/${made.id}`, { can_push: false });
  assert.deepEqual([changed.gist.event, changed.event.details.can_push], ['deploy_key_updated', false]);
  const enabled = await audited('POST', `/projects/${two.id}/deploy_keys/${made.id}/enable`);
  assert.deepEqual([enabled.gist.event, enabled.gist.on], ['deploy_key_added', `Project ${two.id}`]);
  const gone = await audited('DELETE', `${path}/${made.id}`);
  assert.deepEqual(gone.gist, { event: 'deploy_key_removed', on, target, message: 'Removed deploy key' });
  assert.deepEqual(await auditOf(app, () => app.delete(`${path}/${made.id}`)), []);
});

test('keys and addresses are told of to their user', async () => {
  const own = { token: ana.token };
  const on = `User ${ana.user.id}`;
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl y';
  const { made, event, gist: what } = await audited('POST', '/user/keys', { title: 'laptop', key }, own.token);
  assert.deepEqual(what, { event: 'add_ssh_key', on, target: 'Key laptop', message: 'Added SSH key' });
  assert.equal(event.author_id, ana.user.id);
  const gone = await audited('DELETE', `/user/keys/${made.id}`, undefined, own.token);
  assert.deepEqual([gone.gist.event, gone.gist.on], ['remove_ssh_key', on]);
  const address = await audited('POST', `/users/${ana.user.id}/emails`, {
    email: 'a2@example.org',
    skip_confirmation: true,
  });
  assert.deepEqual(address.gist, {
    event: 'email_created',
    on,
    target: 'Email a2@example.org',
    message: 'Email created',
  });
  const lost = await audited('DELETE', `/users/${ana.user.id}/emails/${address.made.id}`);
  assert.equal(lost.gist.event, 'email_destroyed');
});

test('OAuth applications are told of by name', async () => {
  const json = { name: 'dashboard', redirect_uri: 'https://example.org/cb', scopes: 'api' };
  const { made, event, gist: what } = await audited('POST', '/applications', json);
  hides(event, made.secret);
  assert.equal(what.event, 'oauth_application_created');
  assert.equal(what.on, 'Gitlab::Audit::InstanceScope 1');
  const renewed = await audited('POST', `/applications/${made.id}/renew-secret`);
  assert.equal(renewed.gist.event, 'oauth_application_secret_updated');
  hides(renewed.event, renewed.made.secret);
  assert.equal((await audited('DELETE', `/applications/${made.id}`)).gist.event, 'oauth_application_deleted');
});

test('member roles are told of with what they grant, to the group or the server', async () => {
  const group = await app.make.group();
  const json = { name: 'Auditor', base_access_level: 10, read_code: true };
  for (const [path, on] of [
    [`/groups/${group.id}/member_roles`, `Group ${group.id}`],
    ['/member_roles', 'Gitlab::Audit::InstanceScope 1'],
  ] as const) {
    const { made, event, gist: what } = await audited('POST', path, json);
    const message = 'Member role was created';
    assert.deepEqual(what, { event: 'member_role_created', on, target: 'MemberRole Auditor', message });
    assert.equal(event.details.permissions, 'read_code');
    assert.equal((await audited('DELETE', `${path}/${made.id}`)).gist.event, 'member_role_deleted');
  }
});

test('shares are told of to whoever shares and to whom', async () => {
  const [group, invited] = [await app.make.group({ path: 'tools' }), await app.make.group({ path: 'guests' })];
  const project = await app.make.project({ namespace: group, path: 'parser' });
  const share = { group_id: invited.id, group_access: 30 };
  const ofGroup = await audited('POST', `/groups/${group.id}/share`, share);
  assert.deepEqual(ofGroup.gist, {
    event: 'group_share_with_group_link_created',
    on: `Group ${group.id}`,
    target: 'Group guests',
    message: 'Invited guests to the group tools',
  });
  assert.equal(ofGroup.event.details.as, 'Developer');
  const ended = await audited('DELETE', `/groups/${group.id}/share/${invited.id}`);
  assert.equal(ended.gist.message, 'Removed guests from the group tools');
  for (const [work, name] of [
    [() => app.post(`/projects/${project.id}/share`, { json: share }), 'project_group_link_created'],
    [() => app.delete(`/projects/${project.id}/share/${invited.id}`), 'project_group_link_deleted'],
  ] as const) {
    const events = (await auditOf(app, work)).map(gist);
    assert.deepEqual(
      events.map(({ event, on, target }) => [event, on, target]),
      [
        [name, `Project ${project.id}`, 'Group guests'],
        [name, `Group ${invited.id}`, 'Project tools/parser'],
      ],
    );
  }
});

test('a new instance id of feature flags is told of, without it', async () => {
  const project = await app.make.project();
  const { made, event, gist: what } = await audited('POST', `/projects/${project.id}/feature_flags_client/reset_token`);
  hides(event, made.instance_id);
  assert.deepEqual([what.event, what.on], ['feature_flags_client_token_reset', `Project ${project.id}`]);
});

test('OpenPGP keys are told of by their fingerprint', async () => {
  const key = await readFile(new URL('../fixtures/pgp/ana.asc', import.meta.url), 'utf8');
  const { made, event, gist: what } = await audited('POST', `/users/${ana.user.id}/gpg_keys`, { key });
  const on = `User ${ana.user.id}`;
  assert.deepEqual([what.event, what.on, what.message], ['add_gpg_key', on, 'Added GPG key']);
  assert.match(String(event.details.target_details), /^[0-9A-F]{40,64}$/i);
  assert.doesNotMatch(JSON.stringify(event), /BEGIN PGP/);
  const gone = await audited('DELETE', `/users/${ana.user.id}/gpg_keys/${made.id}`);
  assert.deepEqual([gone.gist.event, gone.gist.on], ['remove_gpg_key', on]);
});

test('identities at other providers are told of to their user', async () => {
  const path = `/users/${ana.user.id}`;
  const on = `User ${ana.user.id}`;
  const added = await audited('PUT', path, { provider: 'ldapmain', extern_uid: 'uid=ana' });
  assert.deepEqual([added.gist.event, added.gist.on, added.event.details.to], ['identity_created', on, 'uid=ana']);
  const changed = await audited('PUT', path, { provider: 'ldapmain', extern_uid: 'uid=anna' });
  assert.deepEqual(
    [changed.gist.event, changed.event.details.from, changed.event.details.to],
    ['identity_updated', 'uid=ana', 'uid=anna'],
  );
  assert.deepEqual(
    await auditOf(app, () => app.put(path, { json: { provider: 'ldapmain', extern_uid: 'uid=anna' } })),
    [],
  );
  const gone = await audited('DELETE', `${path}/identities/ldapmain`);
  assert.deepEqual([gone.gist.event, gone.event.details.from], ['identity_deleted', 'uid=anna']);
  assert.deepEqual(await auditOf(app, () => app.delete(`${path}/identities/ldapmain`)), []);
});
