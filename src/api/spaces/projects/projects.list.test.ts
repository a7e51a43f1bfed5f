import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../test/support/app.ts';
import { storedText } from '../../../core/stored-secret.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

type Query = NonNullable<RequestOptions['query']>;
type Listed = { id: number; path: string; permissions?: unknown; statistics?: unknown; forks_count: number };

/** Paths of the listed projects among those that the test made, in the answer's order. */
async function list(made: readonly Project[], query: Query, token?: string | null, path = '/projects') {
  const all: Query = { per_page: 100, ...query };
  const options: RequestOptions = token === undefined ? { query: all } : { query: all, token };
  const body = expectStatus<Listed[]>(await app.get(path, options), 200);
  const ids = new Set(made.map(({ id }) => id));
  return body.filter(({ id }) => ids.has(id)).map((entry) => entry.path);
}

test('GET /projects shows each caller what they may see', async () => {
  const group = await app.make.group();
  const member = await app.make.user();
  const stranger = await app.make.user();
  const external = await app.make.user({ columns: { external: 1 } });
  const made = [
    await app.make.project({ path: 'see-private', namespace: group }),
    await app.make.project({ path: 'see-internal', visibility: 'internal' }),
    await app.make.project({ path: 'see-public', visibility: 'public' }),
  ];
  await app.make.member({ group }, member.user, 10);
  const query = { sort: 'asc' };
  assert.deepEqual(await list(made, query, null), ['see-public']);
  assert.deepEqual(await list(made, query, external.token), ['see-public']);
  assert.deepEqual(await list(made, query, stranger.token), ['see-internal', 'see-public']);
  assert.deepEqual(await list(made, query, member.token), ['see-private', 'see-internal', 'see-public']);
  assert.deepEqual(await list(made, query), ['see-private', 'see-internal', 'see-public']);
  assert.deepEqual(await list(made, { membership: true }, member.token), ['see-private']);
  assert.deepEqual(await list(made, { membership: true }, null), []);
  assert.deepEqual(await list(made, { min_access_level: 30 }, member.token), []);
  assert.deepEqual(await list(made, { owned: true }, stranger.token), []);
});

test('GET /projects filters by attributes', async () => {
  const { user, token } = await app.make.user();
  const one = await app.make.project({
    path: 'filter-one',
    owner: user,
    visibility: 'public',
    columns: { archived: 1, description: 'Sings 100%', issues_access_level: 'disabled' },
  });
  const two = await app.make.project({
    path: 'filter-two',
    owner: user,
    columns: { merge_requests_access_level: 'private', import_url: storedText('https://example.org/x.git') },
  });
  const made = [one, two];
  const listedWith = (query: Query) => list(made, { sort: 'asc', ...query }, token);
  assert.deepEqual(await listedWith({ archived: true }), ['filter-one']);
  assert.deepEqual(await listedWith({ archived: false }), ['filter-two']);
  assert.deepEqual(await listedWith({ active: true }), ['filter-two']);
  assert.deepEqual(await listedWith({ visibility: 'public' }), ['filter-one']);
  assert.deepEqual(await listedWith({ owned: true }), ['filter-one', 'filter-two']);
  assert.deepEqual(await listedWith({ imported: true }), ['filter-two']);
  assert.deepEqual(await listedWith({ with_issues_enabled: true }), ['filter-two']);
  assert.deepEqual(await listedWith({ with_merge_requests_enabled: true }), ['filter-one', 'filter-two']);
  assert.deepEqual(await listedWith({ id_after: one.id }), ['filter-two']);
  assert.deepEqual(await listedWith({ id_before: two.id }), ['filter-one']);
  assert.deepEqual(await listedWith({ search: 'FILTER two' }), ['filter-two']);
  assert.deepEqual(await listedWith({ search: '100%' }), ['filter-one']);
  assert.deepEqual(await listedWith({ search: 'filter_one' }), []);
  assert.deepEqual(await listedWith({ search: user.username }), []);
  assert.deepEqual(await listedWith({ search: user.username, search_namespaces: true }), ['filter-one', 'filter-two']);
  assert.deepEqual(await listedWith({ marked_for_deletion_on: '2026-01-01' }), []);
  assert.deepEqual(await listedWith({ last_activity_after: '2100-01-01' }), []);
  assert.deepEqual(await listedWith({ last_activity_before: '2100-01-01' }), ['filter-one', 'filter-two']);
  assert.deepEqual(await listedWith({ updated_after: '2000-01-01', order_by: 'updated_at' }), [
    'filter-one',
    'filter-two',
  ]);
  const unpaired = await app.get('/projects', { query: { updated_after: '2000-01-01' } });
  assert.match(String(expectStatus<Record<string, string>>(unpaired, 400).message), /must be paired/);
});

test('GET /projects filters by stars, languages, topics and custom attributes', async () => {
  const { user, token } = await app.make.user();
  const one = await app.make.project({ path: 'tagged-one', owner: user });
  const two = await app.make.project({ path: 'tagged-two', owner: user });
  const made = [one, two];
  await app.deps.db.insertInto('project_languages').values({ project_id: one.id, name: 'Go', bytes: 7 }).execute();
  await app.deps.db
    .insertInto('custom_attributes')
    .values({ source_type: 'project', source_id: two.id, key: 'team', value: 'blue' })
    .execute();
  expectStatus(await app.post(`/projects/${two.id}/star`, { token }), 201);
  const topics = { topics: 'Ruby, web' };
  expectStatus(await app.put(`/projects/${one.id}`, { token, json: topics }), 200);
  expectStatus(await app.put(`/projects/${two.id}`, { token, json: { topics: ['ruby'] } }), 200);
  assert.deepEqual(await list(made, { starred: true }, token), ['tagged-two']);
  assert.deepEqual(await list(made, { with_programming_language: 'go' }, token), ['tagged-one']);
  assert.deepEqual(await list(made, { topic: 'RUBY', sort: 'asc' }, token), ['tagged-one', 'tagged-two']);
  assert.deepEqual(await list(made, { topic: 'ruby,web' }, token), ['tagged-one']);
  const { id } = await app.deps.db
    .selectFrom('topics')
    .select('id')
    .where('name', '=', 'web')
    .executeTakeFirstOrThrow();
  assert.deepEqual(await list(made, { topic_id: id }, token), ['tagged-one']);
  assert.deepEqual(await list(made, { 'custom_attributes[team]': 'blue' }), ['tagged-two']);
  const custom = expectStatus<Record<string, unknown>[]>(
    await app.get('/projects', { query: { 'custom_attributes[team]': 'blue', with_custom_attributes: true } }),
    200,
  );
  assert.deepEqual(custom[0]!.custom_attributes, [{ key: 'team', value: 'blue' }]);
  assert.deepEqual(await list(made, { repository_storage: 'nowhere' }), []);
  assert.deepEqual(await list(made, { repository_storage: 'nowhere', sort: 'asc' }, token), [
    'tagged-one',
    'tagged-two',
  ]);
});

test('GET /projects orders as asked', async () => {
  const group = await app.make.group();
  const columns = (n: number) => ({
    star_count: n,
    storage_size: n,
    created_at: `2024-01-0${n}T00:00:00.000Z`,
    updated_at: `2024-02-0${4 - n}T00:00:00.000Z`,
    last_activity_at: `2024-03-0${n}T00:00:00.000Z`,
  });
  const made = [
    await app.make.project({ path: 'sort-b', namespace: group, columns: columns(1) }),
    await app.make.project({ path: 'sort', namespace: group, columns: columns(2) }),
    await app.make.project({ path: 'a-sort', namespace: group, columns: columns(3) }),
  ];
  const order = (order_by: string, sort?: string) => list(made, sort === undefined ? { order_by } : { order_by, sort });
  assert.deepEqual(await order('id'), ['a-sort', 'sort', 'sort-b']);
  assert.deepEqual(await order('name', 'asc'), ['a-sort', 'sort', 'sort-b']);
  assert.deepEqual(await order('path'), ['sort-b', 'sort', 'a-sort']);
  assert.deepEqual(await order('created_at'), ['a-sort', 'sort', 'sort-b']);
  assert.deepEqual(await order('updated_at'), ['sort-b', 'sort', 'a-sort']);
  assert.deepEqual(await order('last_activity_at', 'asc'), ['sort-b', 'sort', 'a-sort']);
  assert.deepEqual(await order('star_count'), ['a-sort', 'sort', 'sort-b']);
  assert.deepEqual(await order('storage_size', 'asc'), ['sort-b', 'sort', 'a-sort']);
  assert.deepEqual(await list(made, { order_by: 'similarity', search: 'sort' }), ['sort', 'sort-b', 'a-sort']);
  const bad = await app.get('/projects', { query: { order_by: 'id; drop table users' } });
  assert.equal(expectStatus<Record<string, string>>(bad, 400).error, 'order_by does not have a valid value');
});

test('GET /projects pages by offset and by id', async () => {
  const group = await app.make.group();
  const { user, token } = await app.make.user({ columns: { external: 1 } });
  await app.make.member({ group }, user, 20);
  const made = [];
  for (const n of [1, 2, 3]) made.push(await app.make.project({ path: `paged-${n}`, namespace: group }));
  const query = { membership: true, per_page: 2, sort: 'asc', order_by: 'id' };
  const first = await app.get('/projects', { token, query });
  assert.equal(first.headers['x-total'], '3');
  assert.equal(first.headers['x-next-page'], '2');
  assert.equal((await app.head('/projects', { token, query })).headers['x-total'], '3');
  const keyset = await app.get('/projects', { token, query: { ...query, pagination: 'keyset' } });
  assert.equal(keyset.headers['x-total'], undefined);
  assert.equal(expectStatus<Listed[]>(keyset, 200).length, 2);
  assert.match(String(keyset.headers.link), new RegExp(`id_after=${made[1]!.id}.*rel="next"`));
  const rest = await app.get('/projects', { token, query: { ...query, pagination: 'keyset', id_after: made[1]!.id } });
  assert.deepEqual(
    expectStatus<Listed[]>(rest, 200).map(({ path }) => path),
    ['paged-3'],
  );
  assert.equal(rest.headers.link, undefined);
  const byName = await app.get('/projects', { token, query: { ...query, pagination: 'keyset', order_by: 'name' } });
  expectStatus(byName, 405);
  expectStatus(await app.get('/projects', { token, query: { per_page: 100, page: 502 } }), 405);
});

test('GET /projects shows statistics only to those who may read them', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { reporter, stranger } = await app.make.members(project);
  const query = { statistics: true, search: project.name };
  const shown = async (token: string) => expectStatus<Listed[]>(await app.get('/projects', { token, query }), 200)[0]!;
  assert.notEqual((await shown(reporter.token)).statistics, undefined);
  assert.equal((await shown(stranger.token)).statistics, undefined);
});

test('GET /users/:user_id/projects, starred_projects and contributed_projects', async () => {
  const { user, token } = await app.make.user();
  const own = await app.make.project({ path: 'of-user', owner: user, visibility: 'public' });
  const hidden = await app.make.project({ path: 'of-user-hidden', owner: user });
  const other = await app.make.project({ path: 'starred', visibility: 'public' });
  const made = [own, hidden, other];
  expectStatus(await app.post(`/projects/${other.id}/star`, { token }), 201);
  await app.deps.events.record(
    app.deps.db,
    'milestone.created',
    { milestone_id: 1, project_id: other.id, group_id: null },
    { projectId: other.id, actorId: user.id },
  );
  await app.drain();
  assert.deepEqual(await list(made, {}, null, `/users/${user.username}/projects`), ['of-user']);
  assert.deepEqual(await list(made, { sort: 'asc' }, token, `/users/${user.id}/projects`), [
    'of-user',
    'of-user-hidden',
  ]);
  assert.deepEqual(await list(made, {}, null, `/users/${user.id}/starred_projects`), ['starred']);
  const contributed = `/users/${user.id}/contributed_projects`;
  assert.deepEqual(await list(made, {}, null, contributed), ['starred', 'of-user']);
  assert.deepEqual(await list(made, { search: 'starred' }, null, contributed), ['starred']);
  expectStatus(await app.get('/users/nobody-at-all/projects'), 404);
  await app.deps.db.updateTable('users').set({ private_profile: 1 }).where('id', '=', user.id).execute();
  assert.deepEqual(await list(made, {}, null, `/users/${user.id}/starred_projects`), []);
  assert.deepEqual(await list(made, {}, token, `/users/${user.id}/starred_projects`), ['starred']);
});
