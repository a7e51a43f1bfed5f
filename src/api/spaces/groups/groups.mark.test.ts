import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';

const DAY_MS = 86_400_000;

interface Shown {
  id: number;
  name: string;
  full_path: string;
  path_with_namespace: string;
  marked_for_deletion_on: string | null;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_DELETION_DELAY_DAYS: '7' } });
  await app.deps.jobs.maintain();
});
after(() => app.close());

const show = async (id: number, kind = 'groups') => expectStatus<Shown>(await app.get(`/${kind}/${id}`), 200);
const remove = (id: number, options: object = {}) => app.delete(`/groups/${id}`, options);
const restore = (id: number, options: object = {}) => app.post(`/groups/${id}/restore`, options);
const message = (body: unknown) => (body as { message: string }).message;
const idsOf = async (path: string, query: Record<string, string> = {}) =>
  expectStatus<Shown[]>(await app.get(path, { query: { per_page: '100', ...query } }), 200).map(({ id }) => id);
const day = () => clock.now().toISOString().slice(0, 10);

async function tree() {
  const { user, token } = await app.make.user();
  const top = await app.make.group({ owner: user, visibility: 'public' });
  const sub = await app.make.group({ parent: top, owner: user, visibility: 'public' });
  const project = await app.make.project({ namespace: sub, visibility: 'public' });
  return { user, token, top, sub, project };
}

test('DELETE /groups/:id marks and renames a group; what is below it moves with it and is read-only', async () => {
  const { token, top, sub, project } = await tree();
  expectStatus(await remove(top.id, { token }), 202);
  const marked = await show(top.id);
  const path = `${top.path}-deletion_scheduled-${top.id}`;
  assert.deepEqual(
    [marked.name, marked.full_path, marked.marked_for_deletion_on],
    [`${top.name}-deletion_scheduled-${top.id}`, path, day()],
  );
  const child = await show(sub.id);
  assert.deepEqual([child.full_path, child.marked_for_deletion_on], [`${path}/${sub.path}`, null]);
  const below = await show(project.id, 'projects');
  assert.equal(below.path_with_namespace, `${path}/${sub.path}/${project.path}`);
  assert.equal(below.marked_for_deletion_on, null);
  assert.equal(message(expectStatus(await remove(top.id), 400)), 'Group has been already marked for deletion');
  expectStatus(await app.post(`/projects/${project.id}/issues`, { token, json: { title: 'x' } }), 403);
  const inside = { name: 'x', path: 'x' };
  expectStatus(await app.post('/projects', { token, json: { ...inside, namespace_id: sub.id } }), 403);
  expectStatus(await app.post('/groups', { token, json: { ...inside, parent_id: sub.id } }), 403);
  expectStatus(await app.post(`/groups/${top.id}/labels`, { token, json: { name: 'x', color: '#ff0000' } }), 403);
  const moved = await app.post(`/groups/${sub.id}/transfer`, { token, json: {} });
  assert.match(message(expectStatus(moved, 400)), /marked for deletion/);
  // The path is free for anyone.
  expectStatus(await app.post('/groups', { json: { name: 'again', path: top.path } }), 201);
});

test('marked groups and what is below them are in no list, unless they are asked for', async () => {
  const { token, top, sub, project } = await tree();
  expectStatus(await remove(top.id, { token }), 202);
  for (const path of ['/groups', '/projects', '/namespaces']) {
    const ids = await idsOf(path, { order_by: 'id', sort: 'desc', all_available: 'true' });
    for (const id of path === '/projects' ? [project.id] : [top.id, sub.id]) assert.ok(!ids.includes(id), path);
  }
  assert.deepEqual(await idsOf('/groups', { marked_for_deletion_on: day(), search: top.path }), [top.id]);
  assert.deepEqual((await idsOf('/groups', { active: 'false', search: top.path })).sort(), [top.id, sub.id].sort());
  assert.deepEqual(await idsOf('/groups', { active: 'true', search: top.path }), []);
  // Inside of what is marked everything can be looked at.
  assert.deepEqual(await idsOf(`/groups/${top.id}/subgroups`), [sub.id]);
  assert.deepEqual(await idsOf(`/groups/${sub.id}/projects`), [project.id]);
});

test('POST /groups/:id/restore brings all back; what is marked itself goes on waiting', async () => {
  const { token, top, sub, project } = await tree();
  const reader = await app.make.user();
  await app.make.member({ group: top }, reader.user, 40);
  assert.equal(message(expectStatus(await restore(top.id, { token }), 400)), 'Group has not been marked for deletion');
  expectStatus(await app.delete(`/projects/${project.id}`, { token }), 202);
  expectStatus(await remove(sub.id, { token }), 202);
  expectStatus(await remove(top.id, { token }), 202);
  expectStatus(await restore(top.id, { token: reader.token }), 403);
  expectStatus(await restore(top.id, { token: null }), 401);
  const restored = expectStatus<Shown>(await restore(top.id, { token }), 201);
  assert.deepEqual(
    [restored.name, restored.full_path, restored.marked_for_deletion_on],
    [top.name, top.full_path, null],
  );
  const waiting = (await show(sub.id)).full_path;
  assert.equal(waiting, `${top.full_path}/${sub.path}-deletion_scheduled-${sub.id}`);
  expectStatus(await app.post('/projects', { token, json: { name: 'x', namespace_id: sub.id } }), 403);
  expectStatus(await restore(sub.id, { token }), 201);
  expectStatus(await app.post('/projects', { token, json: { name: 'x', namespace_id: sub.id } }), 201);
  expectStatus(await app.post(`/projects/${project.id}/issues`, { token, json: { title: 'x' } }), 403);
  expectStatus(await app.post(`/projects/${project.id}/restore`, { token }), 201);
  expectStatus(await app.post(`/projects/${project.id}/issues`, { token, json: { title: 'x' } }), 201);
});

test('a project that is restored in a group that waits goes on waiting', async () => {
  const { token, sub, project } = await tree();
  expectStatus(await app.delete(`/projects/${project.id}`, { token }), 202);
  expectStatus(await remove(sub.id, { token }), 202);
  expectStatus(await app.post(`/projects/${project.id}/restore`, { token }), 201);
  expectStatus(await app.post(`/projects/${project.id}/issues`, { token, json: { title: 'x' } }), 403);
  expectStatus(await restore(sub.id, { token }), 201);
  expectStatus(await app.post(`/projects/${project.id}/issues`, { token, json: { title: 'x' } }), 201);
});

test('the path of a restored group gets letters more where it is taken meanwhile', async () => {
  const { token, top } = await tree();
  expectStatus(await remove(top.id, { token }), 202);
  await app.make.group({ path: top.path });
  const restored = expectStatus<Shown>(await restore(top.id, { token }), 201);
  assert.match(restored.full_path, new RegExp(`^${top.path}-[a-z0-9]{5}$`));
});

test('permanently_remove takes a marked group at once, by its full path', async () => {
  const { token, top, project } = await tree();
  const permanently = (full_path: string) => remove(top.id, { token, json: { permanently_remove: true, full_path } });
  assert.equal(message(expectStatus(await permanently(top.path), 400)), 'Group must be marked for deletion first.');
  expectStatus(await remove(top.id, { token }), 202);
  assert.match(message(expectStatus(await permanently(top.path), 400)), /^`full_path` is incorrect/);
  expectStatus(await permanently((await show(top.id)).full_path), 202);
  expectStatus(await app.get(`/groups/${top.id}`), 404);
  expectStatus(await app.get(`/projects/${project.id}`), 404);
});

test('marked groups go with all below them when their days are over', async () => {
  const { token, top, sub, project } = await tree();
  expectStatus(await remove(sub.id, { token }), 202);
  clock.advance(6 * DAY_MS);
  await app.deps.jobs.drain();
  await show(sub.id);
  clock.advance(DAY_MS);
  await app.deps.jobs.drain();
  expectStatus(await app.get(`/groups/${sub.id}`), 404);
  expectStatus(await app.get(`/projects/${project.id}`), 404);
  await show(top.id);
});
