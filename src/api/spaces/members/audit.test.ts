import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { auditedRequest, auditOf, gist, oneAuditOf } from '../../../../test/support/audit-trail.ts';
import type { TestUser } from '../../../../test/support/factories.ts';

const DAY = 86_400_000;
const clock = new TestClock();
let app: TestApp;
let ana: TestUser;
before(async () => {
  app = await buildTestApp({ clock });
  // Creates the rows of recurring jobs.
  await app.deps.jobs.maintain();
  ana = await app.make.user({ username: 'ana' });
});
after(() => app.close());

const by = {
  author_name: 'Administrator',
  author_email: 'admin@example.org',
  author_class: 'User',
  ip_address: '127.0.0.1',
};

test('a member is told of when they are added, changed and removed, with the role and the day', async () => {
  const group = await app.make.group({ path: 'tools' });
  const project = await app.make.project({ namespace: group, path: 'parser' });
  const root = await app.deps.db.selectFrom('users').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  const author = { ...by, author_name: root.name, author_email: root.email };
  for (const [path, entity_type, entity_id, entity_path] of [
    [`/groups/${group.id}/members`, 'Group', group.id, 'tools'],
    [`/projects/${project.id}/members`, 'Project', project.id, 'tools/parser'],
  ] as const) {
    const target = { target_id: ana.user.id, target_type: 'User', target_details: 'Name of ana' };
    const common = { author_id: 1, entity_type, entity_id };
    const json = { user_id: ana.user.id, access_level: 30, expires_at: '2999-01-01' };
    const added = await oneAuditOf(app, async () => expectStatus(await app.post(path, { json }), 201));
    const { member_id } = added.details;
    assert.deepEqual(added, {
      ...common,
      id: added.id,
      event_name: 'member_created',
      details: {
        add: 'user_access',
        as: 'Developer',
        member_id,
        expiry_to: '2999-01-01',
        ...author,
        ...target,
        custom_message: 'Membership created',
        entity_path,
      },
      created_at: added.created_at,
    });
    const changed = await oneAuditOf(app, async () =>
      expectStatus(await app.put(`${path}/${ana.user.id}`, { json: { access_level: 20 } }), 200),
    );
    assert.deepEqual(
      [changed.event_name, changed.details],
      [
        'member_updated',
        {
          change: 'access_level',
          from: 'Developer',
          to: 'Reporter',
          expiry_from: '2999-01-01',
          expiry_to: '2999-01-01',
          member_id,
          ...author,
          ...target,
          custom_message: 'Changed access level from Developer to Reporter',
          entity_path,
        },
      ],
    );
    const later = { access_level: 20, expires_at: '2999-02-02' };
    const prolonged = await oneAuditOf(app, async () =>
      expectStatus(await app.put(`${path}/${ana.user.id}`, { json: later }), 200),
    );
    assert.equal(prolonged.details.custom_message, 'Changed expiry from 2999-01-01 to 2999-02-02');
    const removed = await oneAuditOf(app, async () => expectStatus(await app.delete(`${path}/${ana.user.id}`), 204));
    assert.deepEqual(
      [removed.event_name, removed.details],
      [
        'member_destroyed',
        { remove: 'user_access', member_id, ...author, ...target, custom_message: 'Membership destroyed', entity_path },
      ],
    );
  }
});

test('a custom role is told of by its name', async () => {
  const group = await app.make.group();
  const json = { name: 'Auditor', base_access_level: 10, read_code: true };
  const role = expectStatus<{ id: number }>(await app.post(`/groups/${group.id}/member_roles`, { json }), 201);
  const member = { user_id: ana.user.id, access_level: 10, member_role_id: role.id };
  const added = await oneAuditOf(app, async () =>
    expectStatus(await app.post(`/groups/${group.id}/members`, { json: member }), 201),
  );
  assert.equal(added.details.as, 'Auditor (Guest)');
});

test('who asked for access is told of as a member once somebody lets them in', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const path = `/projects/${project.id}/access_requests`;
  assert.deepEqual(await auditOf(app, async () => expectStatus(await app.post(path, { token: ana.token }), 201)), []);
  const approved = await oneAuditOf(app, async () =>
    expectStatus(await app.put(`${path}/${ana.user.id}/approve`, { json: { access_level: 20 } }), 201),
  );
  assert.deepEqual([approved.event_name, approved.author_id, approved.details.as], ['member_created', 1, 'Reporter']);
});

test('who was invited by an address is told of when it becomes theirs', async () => {
  const group = await app.make.group();
  const invitation = { email: 'new@example.org', access_level: 30 };
  await auditOf(app, async () =>
    expectStatus(await app.post(`/groups/${group.id}/invitations`, { json: invitation }), 201),
  );
  const account = { email: 'new@example.org', username: 'newcomer', name: 'New', password: 'a long password 1' };
  const events = await auditOf(app, async () => expectStatus(await app.post('/users', { json: account }), 201));
  const joined = events.find(({ event_name }) => event_name === 'member_created');
  assert.deepEqual([joined?.entity_id, joined?.details.target_details], [group.id, 'New']);
});

test('a removal from a group tells of what ended below it, and one that is refused of nothing', async () => {
  const group = await app.make.group();
  const below = await app.make.project({ namespace: group });
  await app.make.member({ group }, ana.user, 30);
  await app.make.member({ project: below }, ana.user, 40);
  const path = `/groups/${group.id}/members/${ana.user.id}`;
  const { token } = await app.make.user();
  assert.deepEqual(await auditOf(app, async () => expectStatus(await app.delete(path, { token }), 404)), []);
  const owner = `/groups/${group.id}/members/1`;
  assert.deepEqual(
    await auditOf(app, async () => expectStatus(await app.delete(owner, { token: ROOT_TOKEN }), 403)),
    [],
  );
  const ended = await auditOf(app, async () => expectStatus(await app.delete(path), 204));
  assert.deepEqual(
    ended.map(({ event_name, entity_type, entity_id }) => [event_name, entity_type, entity_id]),
    [
      ['member_destroyed', 'Group', group.id],
      ['member_destroyed', 'Project', below.id],
    ],
  );
});

test('invitations are told of when they are sent, changed, withdrawn and accepted', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/invitations`;
  const on = `Project ${project.id}`;
  const email = 'guest@example.org';
  const sent = await oneAuditOf(app, async () =>
    expectStatus(await app.post(path, { json: { email, access_level: 30, expires_at: '2999-01-01' } }), 201),
  );
  assert.deepEqual(gist(sent), {
    event: 'invitation_created',
    on,
    target: `Invitation ${email}`,
    message: 'Invitation sent',
  });
  assert.deepEqual([sent.details.as, sent.details.expiry_to], ['Developer', '2999-01-01']);
  const changed = await auditedRequest(app, 'PUT', `${path}/${email}`, { access_level: 20 });
  const { from, to, expiry_to } = changed.event.details;
  assert.deepEqual(
    [changed.gist.event, from, to, expiry_to],
    ['invitation_updated', 'Developer', 'Reporter', '2999-01-01'],
  );
  const same = async () => expectStatus(await app.put(`${path}/${email}`, { json: { access_level: 20 } }), 200);
  assert.deepEqual(await auditOf(app, same), []);
  const account = { email, username: 'guest', name: 'Guest', password: 'a long password 1' };
  const joined = await auditOf(app, async () => expectStatus(await app.post('/users', { json: account }), 201));
  assert.deepEqual(
    joined.filter(({ entity_type }) => entity_type === 'Project').map(({ event_name }) => event_name),
    ['invitation_accepted', 'member_created'],
  );
  expectStatus(await app.post(path, { json: { email: 'other@example.org', access_level: 10 } }), 201);
  const withdrawn = await auditedRequest(app, 'DELETE', `${path}/other@example.org`);
  assert.equal(withdrawn.gist.event, 'invitation_deleted');
});

test('a membership or share that ends by its day is taken away on that day, and told of as by the server', async () => {
  const [group, invited] = [await app.make.group(), await app.make.group()];
  const project = await app.make.project({ namespace: group });
  const bea = await app.make.user();
  const day = (days: number) => new Date(clock.now().getTime() + days * DAY).toISOString().slice(0, 10);
  const join = async (path: string, expires_at: string | null, user_id = bea.user.id) =>
    expectStatus<{ id: number }>(await app.post(path, { json: { user_id, access_level: 30, expires_at } }), 201);
  await join(`/groups/${group.id}/members`, day(2));
  await join(`/projects/${project.id}/members`, day(3));
  await join(`/projects/${project.id}/members`, null, ana.user.id);
  const share = { group_id: invited.id, group_access: 20, expires_at: day(2) };
  expectStatus(await app.post(`/projects/${project.id}/share`, { json: share }), 201);
  const token = { name: 'bot', scopes: ['api'], expires_at: day(2), access_level: 30 };
  const bot = expectStatus<{ user_id: number }>(
    await app.post(`/projects/${project.id}/access_tokens`, { json: token }),
    201,
  );
  clock.advance(2 * DAY);
  const ended = await auditOf(app, () => app.drain());
  assert.deepEqual(
    ended.map((event) => [event.event_name, event.entity_type, event.entity_id, event.details.author_name]),
    [
      ['member_destroyed', 'Group', group.id, '(System)'],
      ['project_group_link_deleted', 'Project', project.id, '(System)'],
      ['project_group_link_deleted', 'Group', invited.id, '(System)'],
    ],
  );
  assert.equal(ended[0]!.details.reason, `access expired on ${day(0)}`);
  const rows = await app.deps.db
    .selectFrom('members')
    .select(['user_id'])
    .where('source_id', '=', project.id)
    .execute();
  for (const id of [bea.user.id, ana.user.id, bot.user_id]) assert.ok(rows.some(({ user_id }) => user_id === id));
  clock.advance(DAY);
  const last = await auditOf(app, () => app.drain());
  assert.deepEqual(
    last.map(({ event_name, entity_id }) => [event_name, entity_id]),
    [['member_destroyed', project.id]],
  );
});

test('who is added anew after their membership has ended is told of as one who went and came', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  await app.deps.db.updateTable('members').set({ expires_at: '2020-01-01' }).where('user_id', '=', user.id).execute();
  const json = { user_id: user.id, access_level: 20 };
  const events = await auditOf(app, async () =>
    expectStatus(await app.post(`/projects/${project.id}/members`, { json }), 201),
  );
  assert.deepEqual(
    events.map(({ event_name, details }) => [event_name, details.reason]),
    [
      ['member_destroyed', 'access expired on 2020-01-01'],
      ['member_created', undefined],
    ],
  );
});
