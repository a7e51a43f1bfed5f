import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { someoneWaits } from '../../../../test/support/meanwhile.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { RefChange } from '../../../db/tables/ref-intents.table.ts';
import type { EventJson } from './events.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

type Seed = Awaited<ReturnType<typeof seededProject>>;

/** A project, and what its feed tells of a push by root that made these changes. */
async function pushed(
  t: TestContext,
  changes: (seed: Seed) => RefChange[],
  more: (seed: Seed) => Pick<DomainEvents['push'], 'default_branch'> = () => ({}),
) {
  const seed = await seededProject(app, t);
  const { id } = seed.project;
  const payload = { project_id: id, updates: changes(seed), push_options: [], via: 'git' as const, ...more(seed) };
  await app.deps.events.record(app.deps.db, 'push', payload, { projectId: id, actorId: 1 });
  await app.drain();
  const query = { action: 'pushed', sort: 'asc' };
  const events = expectStatus<EventJson[]>(await app.get(`/projects/${id}/events`, { query }), 200);
  return { seed, events, pushes: events.map(({ action_name, push_data }) => ({ action_name, ...push_data })) };
}

test('a push tells how many commits it brought and the title of the newest', async (t) => {
  const { seed, events, pushes } = await pushed(t, ({ base, head }) => [
    { ref: 'refs/heads/main', old: base, new: head },
  ]);
  assert.deepEqual(pushes, [
    {
      action_name: 'pushed to',
      commit_count: 1,
      action: 'pushed',
      ref_type: 'branch',
      commit_from: seed.base,
      commit_to: seed.head,
      ref: 'main',
      commit_title: 'second',
      ref_count: null,
    },
  ]);
  assert.deepEqual([events[0]!.target_id, events[0]!.target_iid, events[0]!.target_type], [null, null, null]);
});

test('new branches count what the default branch has not, the default branch all', async (t) => {
  const { seed, pushes } = await pushed(t, ({ head, side }) => [
    { ref: 'refs/heads/main', old: null, new: head },
    { ref: 'refs/heads/side', old: null, new: side },
    { ref: 'refs/heads/same', old: null, new: head },
  ]);
  assert.deepEqual(
    pushes.map(({ action_name, ref, commit_count, commit_title }) => [action_name, ref, commit_count, commit_title]),
    [
      ['pushed new', 'main', 2, 'second'],
      ['pushed new', 'side', 1, 'aside'],
      ['pushed new', 'same', 0, null],
    ],
  );
  assert.deepEqual([pushes[0]!.commit_from, pushes[0]!.commit_to], [null, seed.head]);
});

test('new branches count what the default branch had not when they were pushed, whatever became of it meanwhile', async (t) => {
  const branches = ({ head, side }: Seed) => [
    { ref: 'refs/heads/side', old: null, new: side },
    { ref: 'refs/heads/same', old: null, new: head },
  ];
  const counts = (pushes: readonly { commit_count?: number }[]) => pushes.map(({ commit_count }) => commit_count);
  // The default branch has moved on to `head` since.
  const before = await pushed(t, branches, ({ base }) => ({ default_branch: { name: 'main', sha: base } }));
  assert.deepEqual(counts(before.pushes), [1, 1]);
  // Another branch is the default one by now.
  const other = await pushed(t, branches, ({ side }) => ({ default_branch: { name: 'side', sha: side } }));
  assert.deepEqual(counts(other.pushes), [2, 1]);
  const none = await pushed(t, branches, () => ({ default_branch: null }));
  assert.deepEqual(counts(none.pushes), [2, 2]);
});

test('removed branches and tags are told of, other refs are not', async (t) => {
  const { seed, pushes } = await pushed(t, ({ base, head, git }) => {
    git.git(['tag', '-a', '-m', 'A tag', 'v1', head]);
    return [
      { ref: 'refs/heads/old', old: base, new: null },
      { ref: 'refs/tags/v1', old: null, new: git.git(['rev-parse', 'refs/tags/v1']).trim() },
      { ref: 'refs/tags/v0', old: base, new: null },
      { ref: 'refs/merge-requests/1/head', old: null, new: head },
      { ref: 'refs/keep-around/x', old: null, new: head },
    ];
  });
  assert.deepEqual(
    pushes.map((push) => [
      push.action_name,
      push.action,
      push.ref_type,
      push.ref,
      push.commit_count,
      push.commit_title,
    ]),
    [
      ['deleted', 'removed', 'branch', 'old', 0, null],
      ['pushed new', 'created', 'tag', 'v1', 1, 'second'],
      ['deleted', 'removed', 'tag', 'v0', 0, null],
    ],
  );
  assert.deepEqual([pushes[0]!.commit_from, pushes[0]!.commit_to], [seed.base, null]);
});

test('of more than three alike there is one event with their number', async (t) => {
  const { pushes } = await pushed(t, ({ base, head }) => [
    ...[1, 2, 3, 4].map((n) => ({ ref: `refs/heads/b${n}`, old: null, new: head })),
    { ref: 'refs/heads/main', old: base, new: head },
    ...[1, 2, 3].map((n) => ({ ref: `refs/tags/t${n}`, old: null, new: head })),
  ]);
  const [bulk, ...others] = pushes;
  assert.deepEqual(bulk, {
    action_name: 'pushed new',
    commit_count: 0,
    action: 'created',
    ref_type: 'branch',
    commit_from: null,
    commit_to: null,
    ref: null,
    commit_title: null,
    ref_count: 4,
  });
  assert.deepEqual(
    others.map(({ ref }) => ref),
    ['main', 't1', 't2', 't3'],
  );
});

test('titles are cut, and what git no longer has is told without them', async (t) => {
  const { pushes } = await pushed(t, ({ base, git }) => {
    const long = git.commit({ 'a.txt': 'x' }, [base], `${'😀'.repeat(80)}\n\nbody`);
    return [
      { ref: 'refs/heads/long', old: base, new: long },
      { ref: 'refs/heads/lost', old: base, new: 'f'.repeat(40) },
    ];
  });
  assert.deepEqual(
    pushes.map(({ commit_count, commit_title }) => [commit_count, commit_title]),
    [
      [1, `${'😀'.repeat(67)}...`],
      [0, null],
    ],
  );
});

test('commits over the API are told of', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user });
  const json = { branch: 'main', content: 'x', commit_message: 'Add a file' };
  expectStatus(await app.post(`/projects/${project.id}/repository/files/a.txt`, { token, json }), 201);
  await app.drain();
  const [event] = expectStatus<EventJson[]>(await app.get('/events', { token, query: { action: 'pushed' } }), 200);
  assert.equal(event!.action_name, 'pushed new');
  assert.partialDeepStrictEqual(event!.push_data, { commit_count: 1, commit_title: 'Add a file', ref: 'main' });
});

test('the settings say of how many alike each has an event of its own', async (t) => {
  expectStatus(await app.put('/application/settings', { query: { push_event_activities_limit: 1 } }), 200);
  const { pushes } = await pushed(t, ({ head }) => [
    { ref: 'refs/heads/one', old: null, new: head },
    { ref: 'refs/heads/two', old: null, new: head },
    { ref: 'refs/tags/one', old: null, new: head },
  ]);
  assert.deepEqual(
    pushes.map(({ ref, ref_count }) => [ref, ref_count]),
    [
      [null, 2],
      ['one', null],
    ],
  );
  expectStatus(await app.put('/application/settings', { query: { push_event_activities_limit: 3 } }), 200);
});

test('nobody removes who pushed while the transaction that tells of it goes on', async (t) => {
  const { db, events } = app.deps;
  const { project, base, head } = await seededProject(app, t);
  const { user: author } = await app.make.user();
  const commit = { message: 'second' };
  const updates = [{ ref: 'refs/heads/main', old: base, new: head, commit }];
  const payload = { project_id: project.id, updates, push_options: [], via: 'git' as const };
  let removal: Promise<unknown> | undefined;
  await db.transaction().execute(async (inside) => {
    const connection = await inside.getExecutor().provideConnection(async (connection) => connection);
    const executeQuery = connection.executeQuery.bind(connection);
    t.mock.method(connection, 'executeQuery', async (query: CompiledQuery) => {
      if (query.sql.startsWith('insert into "events"')) {
        removal = db.deleteFrom('users').where('id', '=', author.id).execute();
        await someoneWaits(app);
      }
      return executeQuery(query);
    });
    await events.record(inside, 'push', payload, { projectId: project.id, actorId: author.id });
  });
  await removal;
  assert.ok(removal);
  assert.deepEqual(await db.selectFrom('events').select('id').where('author_id', '=', author.id).execute(), []);
});
