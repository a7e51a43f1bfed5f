import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { Milestone } from './milestones.responses.ts';

interface Entry {
  id: number;
  milestone: Milestone | null;
}

let app: TestApp;
let rows: Rows;
before(async () => {
  app = await buildTestApp();
  rows = new Rows(app.deps);
});
after(() => app.close());

const create = async (path: string, title = 'Next') =>
  expectStatus<Milestone>(await app.post(`${path}/milestones`, { json: { title } }), 201);
const ids = async (path: string, token?: string | null) =>
  expectStatus<Entry[]>(await app.get(path, token === undefined ? {} : { token }), 200).map(({ id }) => id);

test('issues of a milestone are those that the caller may read', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const milestone = await create(`/projects/${project.id}`);
  const { guest, planner, stranger } = await app.make.members(project);
  const mine = { milestone_id: milestone.id };
  const open = await rows.issue(project.id, { ...mine, state: 'closed' });
  const secret = await rows.issue(project.id, { ...mine, confidential: 1, title: 'Secret title' });
  const own = await rows.issue(project.id, { ...mine, confidential: 1, author_id: guest.user.id });
  await rows.issue(project.id);
  const path = `/projects/${project.id}/milestones/${milestone.id}/issues`;
  for (const token of [null, stranger.token]) {
    const response = await app.get(path, { token });
    assert.deepEqual(
      expectStatus<Entry[]>(response, 200).map(({ id }) => id),
      [open.id],
    );
    assert.equal(response.headers['x-total'], '1');
    assert.doesNotMatch(response.body, /Secret title/);
  }
  assert.deepEqual(await ids(path, guest.token), [open.id, own.id]);
  assert.deepEqual(await ids(path, planner.token), [open.id, secret.id, own.id]);
  const [first] = expectStatus<Entry[]>(await app.get(path), 200);
  assert.equal(first!.milestone?.id, milestone.id);
  expectStatus(await app.get(`/projects/${project.id}/milestones/4242/issues`), 404);
  await app.deps.db
    .updateTable('projects')
    .set({ issues_access_level: 'private' })
    .where('id', '=', project.id)
    .execute();
  assert.deepEqual(await ids(path, stranger.token), []);
  assert.deepEqual(await ids(path, guest.token), [open.id, own.id]);
});

test('issues of a milestone come by the priority of their labels', async () => {
  const project = await app.make.project();
  const milestone = await create(`/projects/${project.id}`);
  const label = async (name: string, priority: number) =>
    expectStatus<{ id: number }>(
      await app.post(`/projects/${project.id}/labels`, { json: { name, color: 'red', priority } }),
      201,
    );
  const [urgent, later] = [await label('urgent', 1), await label('later', 5)];
  const made = [];
  for (const label of [null, later, urgent]) {
    const issue = await rows.issue(project.id, { milestone_id: milestone.id });
    made.unshift(issue.id);
    if (label === null) continue;
    const key = { issuable_type: 'Issue', issuable_id: issue.id, label_id: label.id } as const;
    await app.deps.db
      .insertInto('issuable_labels')
      .values({ ...key, project_id: project.id })
      .execute();
  }
  assert.deepEqual(await ids(`/projects/${project.id}/milestones/${milestone.id}/issues`), made);
});

test('issues of a milestone of a group are those of its projects that the caller may read', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const open = await app.make.project({ namespace: group, visibility: 'public' });
  const hidden = await app.make.project({ namespace: group });
  const below = await app.make.project({ namespace: await app.make.group({ parent: group }) });
  const milestone = await create(`/groups/${group.id}`);
  const mine = { milestone_id: milestone.id };
  const [seen, unseen] = [await rows.issue(open.id, mine), await rows.issue(hidden.id, mine)];
  await rows.issue(below.id, mine);
  const path = `/groups/${group.id}/milestones/${milestone.id}/issues`;
  assert.deepEqual(await ids(path), [seen.id, unseen.id]);
  assert.deepEqual(await ids(path, null), [seen.id]);
  assert.deepEqual(await ids(path, (await app.make.user()).token), [seen.id]);
});

test('merge requests of a milestone are those that the caller may read', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const open = await app.make.project({ namespace: group, visibility: 'public' });
  const closed = await app.make.project({
    namespace: group,
    visibility: 'public',
    columns: { merge_requests_access_level: 'private' },
  });
  const milestone = await create(`/groups/${group.id}`);
  const own = await create(`/projects/${open.id}`, 'Own');
  const seen = await makeMergeRequest(app, open, { milestone_id: milestone.id });
  const unseen = await makeMergeRequest(app, closed, { milestone_id: milestone.id });
  const mine = await makeMergeRequest(app, open, { milestone_id: own.id });
  const path = `/groups/${group.id}/milestones/${milestone.id}/merge_requests`;
  assert.deepEqual(await ids(path), [seen.id, unseen.id]);
  assert.deepEqual(await ids(path, null), [seen.id]);
  assert.deepEqual(await ids(`/projects/${open.id}/milestones/${own.id}/merge_requests`, null), [mine.id]);
  expectStatus(await app.get(`/projects/${open.id}/milestones/${milestone.id}/merge_requests`), 404);
});

test('promotion takes issues and merge requests along, removal leaves them without', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const milestone = await create(`/projects/${project.id}`);
  const issue = await rows.issue(project.id, { milestone_id: milestone.id });
  const request = await makeMergeRequest(app, project, { milestone_id: milestone.id });
  const path = `/projects/${project.id}/milestones/${milestone.id}`;
  const { id } = expectStatus<Milestone>(await app.post(`${path}/promote`), 200);
  assert.deepEqual(await ids(`/groups/${group.id}/milestones/${id}/issues`), [issue.id]);
  assert.deepEqual(await ids(`/groups/${group.id}/milestones/${id}/merge_requests`), [request.id]);
  expectStatus(await app.delete(`/groups/${group.id}/milestones/${id}`), 204);
  for (const table of ['issues', 'merge_requests'] as const) {
    const left = await app.deps.db
      .selectFrom(table)
      .select('milestone_id')
      .where('project_id', '=', project.id)
      .execute();
    assert.deepEqual(
      left.map(({ milestone_id }) => milestone_id),
      [null],
    );
  }
});

test('what loses its milestone because that is deleted tells so in its discussion', async () => {
  const project = await app.make.project();
  const milestone = await create(`/projects/${project.id}`);
  const other = await create(`/projects/${project.id}`, 'Other');
  const issue = await rows.issue(project.id, { milestone_id: milestone.id });
  const untouched = await rows.issue(project.id, { milestone_id: other.id });
  const request = await makeMergeRequest(app, project, { milestone_id: milestone.id });
  expectStatus(await app.delete(`/projects/${project.id}/milestones/${milestone.id}`), 204);
  const notes = async (path: string) =>
    expectStatus<{ body: string; system: boolean }[]>(await app.get(`/projects/${project.id}/${path}/notes`), 200).map(
      ({ body, system }) => [body, system],
    );
  assert.deepEqual(await notes(`issues/${issue.iid}`), [['removed milestone', true]]);
  assert.deepEqual(await notes(`merge_requests/${request.iid}`), [['removed milestone', true]]);
  assert.deepEqual(await notes(`issues/${untouched.iid}`), []);
});
