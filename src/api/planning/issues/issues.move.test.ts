import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Issue } from './issues.responses.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;
const pathOf = ({ id }: { id: number }) => `/projects/${id}/issues`;
const create = async (project: Project, json: object = {}): Promise<Issue> =>
  expectStatus<Issue>(await app.post(pathOf(project), { json: { title: 'An issue', ...json } }), 201);
interface NoteJson {
  body: string;
  system: boolean;
}
const notes = async (project: Project, { iid }: Issue, token?: string) => {
  const query = { sort: 'asc', order_by: 'created_at' };
  const response = await app.get(`${pathOf(project)}/${iid}/notes`, token === undefined ? { query } : { query, token });
  return expectStatus<NoteJson[]>(response, 200).map(({ body }) => body);
};

test('a moved issue keeps texts, people, discussion, reactions and times; the original is closed', async () => {
  const [from, to] = [await app.make.project(), await app.make.project()];
  const { user } = await app.make.user();
  await app.make.member({ project: from }, user, 20);
  await app.make.member({ project: to }, user, 20);
  for (const project of [from, to]) {
    await app.post(`/projects/${project.id}/milestones`, { json: { title: 'v1' } });
    await app.post(`/projects/${project.id}/labels`, { json: { name: 'both', color: '#00ff00' } });
  }
  const [milestone] = expectStatus<{ id: number }[]>(await app.get(`/projects/${from.id}/milestones`), 200);
  await create(to);
  const issue = await create(from, {
    description: 'Like #1',
    labels: 'both,only-here',
    assignee_id: user.id,
    milestone_id: milestone!.id,
    weight: 2,
  });
  const path = `${pathOf(from)}/${issue.iid}`;
  expectStatus(await app.post(`${path}/notes`, { json: { body: 'See #1 too' } }), 201);
  expectStatus(await app.post(`${path}/add_spent_time`, { json: { duration: '2h' } }), 201);
  expectStatus(await app.post(`${path}/award_emoji`, { json: { name: 'thumbsup' } }), 201);
  const moved = expectStatus<Issue>(await app.post(`${path}/move`, { json: { to_project_id: to.id } }), 201);
  assert.deepEqual(
    [moved.project_id, moved.iid, moved.description, moved.labels, moved.milestone?.title, moved.assignee?.id],
    [to.id, 2, `Like ${from.full_path}#1`, ['both'], 'v1', user.id],
  );
  assert.notEqual(moved.milestone?.id, milestone?.id);
  assert.deepEqual(
    [moved.weight, moved.upvotes, moved.time_stats.total_time_spent, moved.user_notes_count],
    [2, 1, 7200, 1],
  );
  assert.equal(moved.references.full, `${to.full_path}#2`);
  const old = expectStatus<Issue>(await app.get(path), 200);
  assert.deepEqual([old.state, old.moved_to_id], ['closed', moved.id]);
  const there = await notes(to, moved);
  assert.equal(there.includes(`See ${from.full_path}#1 too`), true);
  assert.equal(there.includes(`moved from ${from.full_path}#1`), true);
  assert.equal((await notes(from, issue)).includes(`moved to ${to.full_path}#2`), true);
  // Who cannot see the other project is not told of it.
  const { user: other, token } = await app.make.user();
  await app.make.member({ project: from }, other, 20);
  assert.equal(
    (await notes(from, issue, token)).some((body) => body.startsWith('moved to')),
    false,
  );
  const again = await app.post(`${path}/move`, { json: { to_project_id: to.id } });
  assert.equal(message(expectStatus(again, 400)), 'Cannot move issue due to insufficient permissions!');
});

test('a clone is a new issue of the caller, with comments on request', async () => {
  const [from, to] = [await app.make.project(), await app.make.project()];
  const { user, token } = await app.make.user();
  await app.make.member({ project: from }, user, 20);
  await app.make.member({ project: to }, user, 20);
  const issue = await create(from, { confidential: true });
  await app.post(`${pathOf(from)}/1/notes`, { json: { body: 'A comment' } });
  const clone = (json: object) => app.post(`${pathOf(from)}/1/clone`, { token, json });
  const plain = expectStatus<Issue>(await clone({ to_project_id: to.id }), 201);
  assert.deepEqual([plain.author.id, plain.confidential, plain.user_notes_count], [user.id, true, 0]);
  assert.deepEqual(await notes(to, plain), [`cloned from ${from.full_path}#1`]);
  const full = expectStatus<Issue>(await clone({ to_project_id: from.id, with_notes: true }), 201);
  assert.deepEqual([full.iid, full.user_notes_count], [2, 1]);
  assert.deepEqual((await notes(from, full)).slice(0, 1), ['A comment']);
  assert.equal(expectStatus<Issue>(await app.get(`${pathOf(from)}/${issue.iid}`), 200).state, 'opened');
});

test('moving and cloning need Planners in both projects', async () => {
  const [from, to, hidden] = [
    await app.make.project({ visibility: 'public' }),
    await app.make.project({ visibility: 'public' }),
    await app.make.project(),
  ];
  const { guest, planner } = await app.make.members(from);
  await create(from);
  for (const verb of ['move', 'clone']) {
    const post = (token: string | null, id: number) =>
      app.post(`${pathOf(from)}/1/${verb}`, { token, json: { to_project_id: id } });
    const refusal = `Cannot ${verb} issue due to insufficient permissions!`;
    expectStatus(await post(null, to.id), 401);
    assert.equal(message(expectStatus(await post(planner.token, to.id), 400)), refusal);
    assert.equal(message(expectStatus(await post(planner.token, hidden.id), 404)), '404 Project Not Found');
    assert.equal(message(expectStatus(await post(guest.token, from.id), 400)), refusal);
    expectStatus(await app.post(`${pathOf(from)}/99/${verb}`, { json: { to_project_id: to.id } }), 404);
  }
  const same = await app.post(`${pathOf(from)}/1/move`, { json: { to_project_id: from.id } });
  assert.equal(message(expectStatus(same, 400)), 'Cannot move issue to project it originates from!');
});

test('issues are put before and after others, also where there is no room left', async () => {
  const project = await app.make.project();
  const ids = [0];
  for (let n = 1; n <= 4; n += 1) ids.push((await create(project)).id);
  const order = async () => {
    const query = { order_by: 'relative_position' };
    return expectStatus<Issue[]>(await app.get(pathOf(project), { query }), 200).map(({ iid }) => iid);
  };
  const reorder = (iid: number, json: object) => app.put(`${pathOf(project)}/${iid}/reorder`, { json });
  assert.deepEqual(await order(), [1, 2, 3, 4]);
  expectStatus(await reorder(4, { move_after_id: ids[1] }), 200);
  assert.deepEqual(await order(), [4, 1, 2, 3]);
  expectStatus(await reorder(4, { move_before_id: ids[1] }), 200);
  assert.deepEqual(await order(), [1, 4, 2, 3]);
  expectStatus(await reorder(3, { move_before_id: ids[1], move_after_id: ids[4] }), 200);
  assert.deepEqual(await order(), [1, 3, 4, 2]);
  for (const [iid, position] of [
    [1, 10],
    [3, 11],
    [4, 12],
    [2, 13],
  ] as const) {
    await app.deps.db.updateTable('issues').set({ relative_position: position }).where('id', '=', ids[iid]!).execute();
  }
  expectStatus(await reorder(2, { move_before_id: ids[1] }), 200);
  assert.deepEqual(await order(), [1, 2, 3, 4]);
  expectStatus(await reorder(2, {}), 422);
  expectStatus(await reorder(2, { move_before_id: ids[4], move_after_id: ids[1] }), 422);
  const elsewhere = await create(await app.make.project());
  expectStatus(await reorder(2, { move_after_id: elsewhere.id }), 422);
});
