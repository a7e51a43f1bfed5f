import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';

const DAY_MS = 86_400_000;

interface Shown {
  id: number;
  name: string;
  path: string;
  path_with_namespace: string;
  marked_for_deletion_on: string | null;
  marked_for_deletion_at: string | null;
  archived: boolean;
  message: string;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_DELETION_DELAY_DAYS: '7' } });
  await app.deps.jobs.maintain();
});
after(() => app.close());

const show = async (id: number) => expectStatus<Shown>(await app.get(`/projects/${id}`), 200);
const remove = (id: number, options: object = {}) => app.delete(`/projects/${id}`, options);
const message = (body: unknown) => (body as { message: string }).message;
const idsOf = async (path: string, query: Record<string, string> = {}) =>
  expectStatus<Shown[]>(await app.get(path, { query: { per_page: '100', ...query } }), 200).map(({ id }) => id);
const day = () => clock.now().toISOString().slice(0, 10);

test('DELETE /projects/:id marks and renames the project, whose name and path are free again', async () => {
  const { user, token } = await app.make.user();
  const { id, name, full_path } = await app.make.project({ owner: user });
  expectStatus(await remove(id, { token }), 202);
  const marked = await show(id);
  assert.deepEqual(
    [marked.name, marked.path_with_namespace, marked.marked_for_deletion_on, marked.marked_for_deletion_at],
    [`${name}-deletion_scheduled-${id}`, `${full_path}-deletion_scheduled-${id}`, day(), day()],
  );
  assert.equal(message(expectStatus(await remove(id), 400)), 'Project has been already marked for deletion');
  // The old address leads there until somebody takes it.
  const led = await app.get(`/projects/${encodeURIComponent(full_path)}`);
  assert.equal(led.statusCode, 301);
  const second = expectStatus<Shown>(await app.post('/projects', { token, json: { name } }), 201);
  assert.equal(second.path_with_namespace, full_path);
  expectStatus(await app.get(`/projects/${encodeURIComponent(full_path)}`), 200);
});

test('what is marked is in no list, unless it is asked for', async () => {
  const { user, token } = await app.make.user();
  const group = await app.make.group({ owner: user });
  const project = await app.make.project({ namespace: group, visibility: 'public' });
  const other = await app.make.project({ namespace: group, visibility: 'public' });
  const hidden = async () => {
    assert.ok(!(await idsOf('/projects')).includes(project.id));
    assert.deepEqual(await idsOf(`/groups/${group.id}/projects`), [other.id]);
    assert.deepEqual(await idsOf('/projects', { owned: 'true', search: project.path }), []);
  };
  assert.ok((await idsOf('/projects')).includes(project.id));
  expectStatus(await remove(project.id, { token }), 202);
  await hidden();
  const inGroup = `/groups/${group.id}/projects`;
  assert.deepEqual(await idsOf(inGroup, { marked_for_deletion_on: day() }), [project.id]);
  assert.deepEqual(await idsOf(inGroup, { marked_for_deletion_on: '2020-01-01' }), []);
  assert.deepEqual(await idsOf(inGroup, { active: 'false' }), [project.id]);
  assert.deepEqual(await idsOf(inGroup, { active: 'true' }), [other.id]);
  assert.deepEqual(await idsOf(inGroup, { include_pending_delete: 'true', order_by: 'id', sort: 'asc' }), [
    project.id,
    other.id,
  ]);
});

test('what is marked is read-only', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { owner, reporter } = await app.make.members(project);
  new ProjectGit(app, project).commit('main', { 'a.txt': 'a' });
  const { token } = owner;
  expectStatus(await app.post(`/projects/${project.id}/issues`, { token, json: { title: 'before' } }), 201);
  expectStatus(await remove(project.id, { token }), 202);
  const path = `/projects/${project.id}`;
  expectStatus(await app.get(`${path}/issues/1`, { token: reporter.token }), 200);
  expectStatus(await app.get(`${path}/repository/branches/main`, { token: null }), 200);
  expectStatus(await app.post(`${path}/issues`, { token, json: { title: 'after' } }), 403);
  expectStatus(await app.put(`${path}/issues/1`, { token, json: { title: 'after' } }), 403);
  const commit = { branch: 'main', content: 'b', commit_message: 'm' };
  expectStatus(await app.post(`${path}/repository/files/b.txt`, { token, json: commit }), 403);
  expectStatus(await app.post(`${path}/repository/branches`, { token, json: { branch: 'x', ref: 'main' } }), 403);
  const group = await app.make.group({ owner: owner.user });
  const transfer = await app.put(`${path}/transfer`, { token, json: { namespace: group.id } });
  assert.match(message(expectStatus(transfer, 400)), /marked for deletion/);
  expectStatus(await app.post(`${path}/restore`, { token }), 201);
  expectStatus(await app.post(`${path}/repository/files/b.txt`, { token, json: commit }), 201);
});

test('POST /projects/:id/restore gives name and path back, changed where they are taken', async () => {
  const project = await app.make.project();
  const { owner, maintainer, guest, stranger } = await app.make.members(project);
  const restore = (token: string | null) => app.post(`/projects/${project.id}/restore`, { token });
  assert.equal(message(expectStatus(await restore(owner.token), 400)), 'Project has not been marked for deletion');
  expectStatus(await remove(project.id, { token: maintainer.token }), 403);
  expectStatus(await remove(project.id, { token: owner.token }), 202);
  for (const [token, status] of [
    [maintainer.token, 403],
    [guest.token, 403],
    [stranger.token, 404],
    [null, 401],
  ] as const) {
    expectStatus(await restore(token), status);
  }
  const restored = expectStatus<Shown>(await restore(owner.token), 201);
  assert.deepEqual(
    [restored.name, restored.path_with_namespace, restored.marked_for_deletion_on],
    [project.name, project.full_path, null],
  );
  expectStatus(await app.get(`/projects/${encodeURIComponent(project.full_path)}`, { token: owner.token }), 200);
  expectStatus(await remove(project.id), 202);
  await app.make.project({ path: project.path });
  const changed = expectStatus<Shown>(await restore(owner.token), 201);
  assert.match(changed.path, new RegExp(`^${project.path}-[a-z0-9]{5}$`));
  assert.match(changed.name, new RegExp(`^${project.name}-[a-z0-9]{5}$`));
});

test('permanently_remove takes what is marked at once, by its full path', async () => {
  const { id } = await app.make.project();
  const permanently = (full_path?: string) =>
    remove(id, { json: { permanently_remove: true, ...(full_path === undefined ? {} : { full_path }) } });
  const { path_with_namespace: before } = await show(id);
  assert.equal(message(expectStatus(await permanently(before), 400)), 'Project must be marked for deletion first.');
  expectStatus(await remove(id), 202);
  const wrong = '`full_path` is incorrect. You must enter the complete path for the project.';
  for (const path of [undefined, before, 'x/y']) {
    assert.equal(message(expectStatus(await permanently(path), 400)), wrong);
  }
  expectStatus(await permanently((await show(id)).path_with_namespace), 202);
  expectStatus(await app.get(`/projects/${id}`), 404);
});

test('a recurring job removes what was marked, when its days are over and not before', async () => {
  const [gone, restored, later] = [await app.make.project(), await app.make.project(), await app.make.project()];
  for (const { id } of [gone, restored]) expectStatus(await remove(id), 202);
  clock.advance(3 * DAY_MS);
  expectStatus(await app.post(`/projects/${restored.id}/restore`), 201);
  expectStatus(await remove(later.id), 202);
  await app.deps.jobs.drain();
  for (const { id } of [gone, later]) await show(id);
  clock.advance(4 * DAY_MS);
  await app.deps.jobs.drain();
  expectStatus(await app.get(`/projects/${gone.id}`), 404);
  assert.equal((await show(restored.id)).marked_for_deletion_on, null);
  await show(later.id);
  clock.advance(3 * DAY_MS);
  await app.deps.jobs.drain();
  expectStatus(await app.get(`/projects/${later.id}`), 404);
  await show(restored.id);
});

test('two deletions at once mark once; a restore and a removal for good agree on one of both', async () => {
  const { id } = await app.make.project();
  const answers = await Promise.all([remove(id), remove(id), remove(id)]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [202, 400, 400]);
  const { path_with_namespace: full_path } = await show(id);
  const [restored, removed] = await Promise.all([
    app.post(`/projects/${id}/restore`),
    remove(id, { json: { permanently_remove: true, full_path } }),
  ]);
  const there = (await app.get(`/projects/${id}`)).statusCode;
  assert.deepEqual([restored.statusCode, removed.statusCode, there], there === 200 ? [201, 400, 200] : [404, 202, 404]);
});
