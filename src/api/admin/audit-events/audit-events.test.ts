import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { type AuditJson, auditOf } from '../../../../test/support/audit-trail.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import {
  type AuditEntity,
  INSTANCE,
  group as onGroup,
  project as onProject,
  user as onUser,
  recordAudit,
} from '../../../audit/record.audit.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const MINUTE = 60_000;
let app: TestApp;
let clock: TestClock;
let group: Namespace;
let project: Project;
const people = {} as Record<'owner' | 'maintainer' | 'developer' | 'reporter' | 'stranger', TestUser>;

/** Lists what is at an address. */
const list = async (path: string, query = {}, token: string = ROOT_TOKEN) =>
  expectStatus<AuditJson[]>(await app.get(path, { token, query }), 200);
const messages = (events: readonly AuditJson[]) => events.map(({ details }) => details.custom_message);

before(async () => {
  clock = new TestClock(new Date('2026-03-01T12:00:00.000Z'));
  app = await buildTestApp({ clock });
  group = await app.make.group({ path: 'tools' });
  project = await app.make.project({ namespace: group, path: 'parser' });
  for (const [role, level] of [
    ['owner', 50],
    ['maintainer', 40],
    ['developer', 30],
    ['reporter', 20],
    ['stranger', 0],
  ] as const) {
    people[role] = await app.make.user({ username: role });
    if (level > 0) await app.make.member({ group }, people[role].user, level);
  }
  await app.deps.db.deleteFrom('audit_events').execute();
  const by = { developer: people.developer.user.id, owner: people.owner.user.id };
  const say = async (message: string, entity: AuditEntity, actorId: number) => {
    clock.advance(MINUTE);
    const entry = { name: 'project_name_updated', entity, message, actorId } as const;
    await app.deps.db.transaction().execute((db) => recordAudit(app.deps, db, entry));
  };
  await say('p1', onProject(project.id), by.developer);
  await say('p2', onProject(project.id), by.owner);
  await say('g1', onGroup(group.id), by.developer);
  await say('g2', onGroup(group.id), by.owner);
  await say('u1', onUser(by.owner), by.owner);
  await say('i1', INSTANCE, 1);
});
after(() => app.close());

const places = () =>
  [
    { path: `/projects/${project.id}/audit_events`, all: ['p2', 'p1'], own: ['p1'], reads: ['owner', 'maintainer'] },
    { path: `/groups/${group.id}/audit_events`, all: ['g2', 'g1'], own: ['g1'], reads: ['owner'] },
  ] as const;

test('administrators list those of everything, the newest first, and look at one', async () => {
  const all = await list('/audit_events');
  assert.deepEqual(messages(all), ['i1', 'u1', 'g2', 'g1', 'p2', 'p1']);
  assert.deepEqual(all[4], {
    id: all[4]!.id,
    author_id: people.owner.user.id,
    entity_id: project.id,
    entity_type: 'Project',
    event_name: 'project_name_updated',
    details: {
      author_name: 'Name of owner',
      author_email: 'owner@example.org',
      author_class: 'User',
      target_id: project.id,
      target_type: 'Project',
      target_details: 'tools/parser',
      custom_message: 'p2',
      ip_address: null,
      entity_path: 'tools/parser',
    },
    created_at: '2026-03-01T12:02:00.000Z',
  });
  assert.deepEqual(all[0]!.details.entity_path, 'gitlab_instance');
  assert.deepEqual(expectStatus(await app.get(`/audit_events/${all[0]!.id}`), 200), all[0]);
});

test('filters choose by time, entity and author', async () => {
  const chosen = async (query: object) => messages(await list('/audit_events', query));
  assert.deepEqual(await chosen({ created_after: '2026-03-01T12:05:00Z' }), ['i1', 'u1']);
  assert.deepEqual(await chosen({ created_before: '2026-03-01T12:02:00Z' }), ['p2', 'p1']);
  assert.deepEqual(await chosen({ created_after: '2026-03-01T12:03:00Z', created_before: '2026-03-01T12:03:00Z' }), [
    'g1',
  ]);
  assert.deepEqual(await chosen({ entity_type: 'Group' }), ['g2', 'g1']);
  assert.deepEqual(await chosen({ entity_type: 'Gitlab::Audit::InstanceScope' }), ['i1']);
  assert.deepEqual(await chosen({ entity_type: 'User', entity_id: people.owner.user.id }), ['u1']);
  assert.deepEqual(await chosen({ entity_type: 'User', entity_id: 4711 }), []);
  assert.deepEqual(await chosen({ author_id: people.developer.user.id }), ['g1', 'p1']);
  for (const { path, all, own } of places()) {
    assert.deepEqual(messages(await list(path, { author_id: people.developer.user.id })), own);
    assert.deepEqual(messages(await list(path, { created_after: '2026-03-02' })), []);
    assert.deepEqual(messages(await list(path, { created_before: '2026-03-02' })), all);
  }
});

test('pages are cut by number and by keyset, and hold each event once', async () => {
  const all = messages(await list('/audit_events'));
  const second = await app.get('/audit_events', { query: { per_page: 4, page: 2 } });
  assert.deepEqual(messages(expectStatus<AuditJson[]>(second, 200)), all.slice(4));
  assert.equal(second.headers['x-total'], '6');
  const seen: unknown[] = [];
  let next: string | undefined = '/audit_events?pagination=keyset&per_page=2&order_by=id&sort=desc';
  for (let pages = 0; next !== undefined && pages < 5; pages++) {
    const response = await app.get(next);
    seen.push(...messages(expectStatus<AuditJson[]>(response, 200)));
    assert.equal(response.headers['x-total'], undefined);
    next = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1];
  }
  assert.deepEqual(seen, all);
});

test('what cannot be asked is refused with what to change', async () => {
  const refused = async (query: Record<string, string | number>) =>
    String(expectStatus<AuditJson & { error: string }>(await app.get('/audit_events', { query }), 400).error);
  assert.equal(await refused({ entity_id: 1 }), 'entity_type is missing');
  assert.equal(await refused({ entity_type: 'Key' }), 'entity_type does not have a valid value');
  assert.equal(await refused({ created_after: 'soon' }), 'created_after is invalid');
  assert.equal(await refused({ pagination: 'keyset', cursor: 'bm8' }), 'cursor is invalid');
  assert.equal(await refused({ sort: 'asc' }), 'sort does not have a valid value');
});

describe('whoever may not see them is refused', () => {
  test('on the server, but for administrators', async () => {
    const [{ id }] = (await list('/audit_events')) as [AuditJson];
    for (const path of ['/audit_events', `/audit_events/${id}`]) {
      expectStatus(await app.get(path, { token: null }), 401);
      expectStatus(await app.get(path, { token: people.owner.token }), 403);
    }
    expectStatus(await app.get('/audit_events/999999'), 404);
    expectStatus(await app.get('/audit_events/99999999999999999999'), 400);
  });

  test('in projects and groups, where developers see what they did', async () => {
    for (const { path, all, own, reads } of places()) {
      const [event] = (await list(path)) as [AuditJson];
      for (const role of ['owner', 'maintainer', 'developer'] as const) {
        const { token } = people[role];
        const sees = (reads as readonly string[]).includes(role);
        assert.deepEqual(messages(await list(path, {}, token)), sees ? all : role === 'developer' ? own : [], role);
        expectStatus(await app.get(`${path}/${event.id}`, { token }), sees ? 200 : 403);
      }
      const others = { author_id: people.owner.user.id };
      assert.deepEqual(await list(path, others, people.developer.token), []);
      for (const [token, status] of [
        [people.reporter.token, 403],
        [people.stranger.token, 404],
        [null, 401],
      ] as const) {
        expectStatus(await app.get(path, { token }), status);
        expectStatus(await app.get(`${path}/${event.id}`, { token }), status);
      }
    }
  });

  test('of another place under this one', async () => {
    const [of, elsewhere] = places();
    const [event] = (await list(elsewhere.path)) as [AuditJson];
    expectStatus(await app.get(`${of.path}/${event.id}`), 404);
    expectStatus(await app.get(`${of.path}/999999`), 404);
  });
});

test('an administrator who acts as somebody else is told of beside them, with where they came from', async () => {
  const sudo = { headers: { sudo: 'owner' }, json: { user_id: people.stranger.user.id, access_level: 10 } };
  const [event] = await auditOf(app, async () =>
    expectStatus(await app.post(`/groups/${group.id}/members`, sudo), 201),
  );
  assert.equal(event!.author_id, people.owner.user.id);
  assert.equal(event!.details.impersonated_by, 'Administrator');
  assert.equal(event!.details.ip_address, '127.0.0.1');
});

test('they are there if the change is: nothing is left of one that was undone', async () => {
  const events = await auditOf(app, async () => {
    const undone = app.deps.db.transaction().execute(async (db) => {
      await recordAudit(app.deps, db, { name: 'project_name_updated', entity: INSTANCE, message: 'x' });
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
  });
  assert.deepEqual(events, []);
});

test('administrators still find what is told of a project that is gone', async () => {
  const gone = await app.make.project({ namespace: group });
  const entry = { name: 'project_name_updated', entity: onProject(gone.id), message: 'before the end' } as const;
  await app.deps.db.transaction().execute((db) => recordAudit(app.deps, db, entry));
  await app.deps.db.deleteFrom('projects').where('id', '=', gone.id).execute();
  const auditEvents = await list('/audit_events', { entity_type: 'Project', entity_id: gone.id });
  assert.ok(messages(auditEvents).includes('before the end'));
  assert.equal(auditEvents[0]!.details.entity_path, gone.full_path);
});

test('the texts of an event have an end, however long what they name is', async () => {
  const place = await app.make.project();
  const long = `${'x'.repeat(998)}\u{1f600}${'y'.repeat(5_000)}`;
  const target = { id: 1, type: 'ProtectedBranch', details: long };
  const entry = { name: 'protected_branch_created', entity: onProject(place.id), target, message: long } as const;
  await app.deps.db.transaction().execute((db) => recordAudit(app.deps, db, { ...entry, more: { to: long, by: 7 } }));
  const [event] = await list(`/projects/${place.id}/audit_events`);
  const { custom_message, target_details, to, by } = event!.details;
  const short = `${'x'.repeat(998)}…`;
  assert.deepEqual([custom_message, target_details, to, by], [short, short, short, 7]);
});
