import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface ProjectAnswer {
  id: number;
  path_with_namespace: string;
}

const paths = async (path: string, options: RequestOptions = {}) =>
  expectStatus<ProjectAnswer[]>(await app.get(path, options), 200)
    .map((project) => project.path_with_namespace)
    .sort();

const share = (projectId: number, groupId: number) =>
  app.deps.db
    .insertInto('group_links')
    .values({
      source_type: 'project',
      source_id: projectId,
      group_id: groupId,
      group_access: 30,
      member_role_id: null,
      expires_at: null,
      created_at: '2026-01-01T00:00:00.000Z',
    })
    .execute();

test('GET /groups/:id/projects lists own, shared, lower and upper projects as asked for', async () => {
  const parent = await app.make.group({ path: 'up', visibility: 'public' });
  const group = await app.make.group({ path: 'mid', parent, visibility: 'public' });
  const child = await app.make.group({ path: 'low', parent: group, visibility: 'public' });
  await app.make.project({ namespace: parent, path: 'p1', visibility: 'public' });
  await app.make.project({ namespace: group, path: 'p2', visibility: 'public' });
  await app.make.project({ namespace: group, path: 'p2-private' });
  await app.make.project({ namespace: child, path: 'p3', visibility: 'public' });
  const shared = await app.make.project({ path: 'lent', visibility: 'public' });
  await share(shared.id, group.id);
  const path = `/groups/${group.id}/projects`;
  const own = ['up/mid/p2', 'up/mid/p2-private'];
  assert.deepEqual(await paths(path), ['root/lent', ...own]);
  assert.deepEqual(await paths(path, { token: null }), ['root/lent', 'up/mid/p2']);
  assert.deepEqual(await paths(path, { query: { with_shared: false } }), own);
  assert.deepEqual(await paths(path, { query: { with_shared: false, include_subgroups: true } }), [
    'up/mid/low/p3',
    ...own,
  ]);
  const upper = { with_shared: false, include_ancestor_groups: true };
  assert.deepEqual(await paths(path, { query: upper }), [...own, 'up/p1']);
  assert.deepEqual(await paths(path, { query: { search: 'PRIVATE' } }), ['up/mid/p2-private']);
  assert.deepEqual(await paths(`${path}/shared`), ['root/lent']);
  const page = await app.get(path, { query: { per_page: 2, order_by: 'path', sort: 'asc' } });
  assert.equal(page.headers['x-total'], '3');
});

test('GET /groups/:id/projects of a hidden group is 404', async () => {
  const group = await app.make.group();
  expectStatus(await app.get(`/groups/${group.id}/projects`, { token: null }), 404);
  expectStatus(await app.get(`/groups/${group.id}/projects`, { token: (await app.make.user()).token }), 404);
});

test('GET /groups/:id holds the projects unless they are not wanted', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const project = await app.make.project({ namespace: group });
  const shared = await app.make.project({ visibility: 'public' });
  await share(shared.id, group.id);
  interface Detail {
    projects?: ProjectAnswer[];
    shared_projects?: ProjectAnswer[];
  }
  const body = expectStatus<Detail>(await app.get(`/groups/${group.id}`), 200);
  assert.deepEqual(
    body.projects?.map(({ id }) => id),
    [project.id],
  );
  assert.deepEqual(
    body.shared_projects?.map(({ id }) => id),
    [shared.id],
  );
  const { token } = await app.make.user();
  assert.deepEqual(expectStatus<Detail>(await app.get(`/groups/${group.id}`, { token }), 200).projects, []);
  const bare = expectStatus<Detail>(await app.get(`/groups/${group.id}`, { query: { with_projects: false } }), 200);
  assert.equal(bare.projects ?? bare.shared_projects, undefined);
});

test('POST /groups/:id/projects/:project_id moves a project into the group, for administrators', async () => {
  const { user, token } = await app.make.user();
  const group = await app.make.group({ owner: user, path: 'into' });
  const project = await app.make.project({ owner: user, path: 'moving', visibility: 'public' });
  const path = `/groups/${group.id}/projects/${project.id}`;
  expectStatus(await app.post(path, { token: null }), 401);
  expectStatus(await app.post(path, { token }), 403);
  expectStatus(await app.post(`/groups/${group.id}/projects/999999`), 404);
  const byPath = `/groups/${group.id}/projects/${encodeURIComponent(project.full_path)}`;
  const body = expectStatus<{ projects: ProjectAnswer[] }>(await app.post(byPath), 201);
  assert.deepEqual(
    body.projects.map(({ path_with_namespace }) => path_with_namespace),
    ['into/moving'],
  );
  expectStatus(await app.post(path), 400);
});
