import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Answer {
  id: number;
  full_path: string;
  kind: string;
  [key: string]: unknown;
}

test('GET /namespaces/root is the personal namespace of the administrator', async () => {
  const body = expectStatus<Answer>(await app.get('/namespaces/root'), 200);
  assert.deepEqual(
    [body.kind, body.path, body.full_path, body.parent_id, body.web_url, body.billable_members_count, body.plan],
    ['user', 'root', 'root', null, `${app.deps.externalUrl()}/root`, 1, 'ultimate'],
  );
  assert.equal('members_count_with_descendants' in body, false);
  assert.equal(expectStatus<Answer>(await app.get(`/namespaces/${body.id}`), 200).id, body.id);
});

test('GET /namespaces lists the own namespace and groups, all for administrators', async () => {
  const { user, token } = await app.make.user({ username: 'lister' });
  const parent = await app.make.group({ path: 'list-parent' });
  const joined = await app.make.group({ path: 'list-joined', parent });
  await app.make.member({ group: joined }, user, 30);
  const owned = await app.make.group({ path: 'list-owned', owner: user });
  await app.make.group({ path: 'list-other', visibility: 'public' });
  const paths = async (query: Record<string, string | boolean> = {}, as: string | undefined = token) =>
    expectStatus<Answer[]>(await app.get('/namespaces', { query, ...(as === '' ? {} : { token: as }) }), 200).map(
      ({ full_path }) => full_path,
    );
  assert.deepEqual(await paths(), ['lister', 'list-parent/list-joined', owned.full_path]);
  assert.deepEqual(await paths({ owned_only: true }), ['lister', 'list-owned']);
  assert.deepEqual(await paths({ top_level_only: true }), ['lister', 'list-owned']);
  assert.deepEqual(await paths({ search: 'PARENT' }), []);
  assert.deepEqual(await paths({ search: 'PARENT', full_path_search: true }), ['list-parent/list-joined']);
  assert.deepEqual(await paths({ search: 'list-' }, ''), [
    'list-parent',
    'list-parent/list-joined',
    'list-owned',
    'list-other',
  ]);
  expectStatus(await app.get('/namespaces', { token: null }), 401);
});

test('only owners and administrators get counts', async () => {
  const { user: owner, token } = await app.make.user();
  const group = await app.make.group({ owner });
  const child = await app.make.group({ parent: group, owner });
  const project = await app.make.project({ namespace: child });
  await app.deps.db
    .updateTable('projects')
    .set({ statistics: JSON.stringify({ repository_size: 11 }) })
    .where('id', '=', project.id)
    .execute();
  const developer = await app.make.user();
  await app.make.member({ group: child }, developer.user, 30);
  const guest = await app.make.user();
  await app.make.member({ project }, guest.user, 10);
  const body = expectStatus<Answer>(await app.get(`/namespaces/${group.id}`, { token }), 200);
  assert.deepEqual(
    [body.members_count_with_descendants, body.billable_members_count, body.projects_count, body.root_repository_size],
    [2, 3, 1, 11],
  );
  assert.equal('shared_runners_minutes_limit' in body, false);
  const plain = expectStatus<Answer>(await app.get(`/namespaces/${child.id}`, { token: developer.token }), 200);
  assert.deepEqual(Object.keys(plain).sort(), [
    'avatar_url',
    'full_path',
    'id',
    'kind',
    'name',
    'parent_id',
    'path',
    'web_url',
  ]);
});

test('GET /namespaces/:id hides namespaces of others', async () => {
  const { token } = await app.make.user();
  const group = await app.make.group({ visibility: 'public' });
  for (const id of ['root', group.id, 999_999]) {
    assert.equal(expectStatus(await app.get(`/namespaces/${id}`, { token }), 404).message, '404 Namespace Not Found');
  }
  expectStatus(await app.get('/namespaces/root', { token: null }), 401);
});

test('GET /namespaces/:id/exists tells whether a path is taken and suggests another one', async () => {
  const parent = await app.make.group({ path: 'busy' });
  await app.make.group({ path: 'busy1' });
  await app.make.group({ path: 'inner', parent });
  const ask = async (path: string, query = {}) =>
    expectStatus(await app.get(`/namespaces/${path}/exists`, { query }), 200);
  assert.deepEqual(await ask('root'), { exists: true, suggests: ['root1'] });
  assert.deepEqual(await ask('BUSY'), { exists: true, suggests: ['BUSY2'] });
  assert.deepEqual(await ask('free'), { exists: false, suggests: [] });
  assert.deepEqual(await ask('inner'), { exists: false, suggests: [] });
  assert.deepEqual(await ask('inner', { parent_id: parent.id }), { exists: true, suggests: ['inner1'] });
  const { token } = await app.make.user();
  const hidden = await app.get('/namespaces/inner/exists', { token, query: { parent_id: parent.id } });
  assert.deepEqual(expectStatus(hidden, 200), { exists: false, suggests: [] });
  expectStatus(await app.get('/namespaces/root/exists', { token: null }), 401);
});
