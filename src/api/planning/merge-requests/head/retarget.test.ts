import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { payloadsOf, sentPayloadsOf } from '../../../../../test/support/payloads.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** Branches that stand on each other, `one` on `main`, and merge requests of each into the one below. */
async function chain() {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  let at = git.commit('main', { 'a.txt': '1\n' });
  const rows: MergeRequest[] = [];
  let target_branch = 'main';
  for (const source_branch of ['one', 'two', 'three']) {
    at = git.commit(source_branch, { [`${source_branch}.txt`]: '1\n' }, { start: at });
    rows.push(await makeMergeRequest(app, project, { source_branch, target_branch }));
    target_branch = source_branch;
  }
  const merge = async ({ iid }: MergeRequest, json: object = { should_remove_source_branch: true }) => {
    expectStatus(await app.put(`/projects/${project.id}/merge_requests/${iid}/merge`, { json }), 200);
    await app.drain();
  };
  const targets = async () =>
    Promise.all(
      rows.map(async (row) => {
        const { state, target_branch } = await reloadMergeRequest(app, row);
        return `${state} ${target_branch}`;
      }),
    );
  return { project, git, rows, merge, targets };
}

test('a merge request into a branch that goes with its merge leads to where that was merged', async () => {
  const { rows, merge, targets } = await chain();
  const [one, two, three] = rows as [MergeRequest, MergeRequest, MergeRequest];
  const sentPayloads = await sentPayloadsOf(app, () => merge(one));
  assert.deepEqual(await targets(), ['merged main', 'opened main', 'opened two']);
  const notes = await app.deps.db
    .selectFrom('notes')
    .select('note')
    .where('noteable_id', '=', two.id)
    .where('noteable_type', '=', 'MergeRequest')
    .where('system_action', '=', 'branch')
    .execute();
  assert.deepEqual(
    notes.map(({ note }) => note),
    ['deleted the `one` branch. This merge request now targets the `main` branch'],
  );
  const changed = payloadsOf<{ object_attributes: { iid: number }; changes: Record<string, unknown> }>(
    sentPayloads,
    'merge_requests',
  ).filter(({ object_attributes, changes }) => object_attributes.iid === two.iid && 'target_branch' in changes);
  assert.deepEqual(
    changed.map(({ changes }) => changes.target_branch),
    [{ previous: 'one', current: 'main' }],
  );
  assert.equal((await reloadMergeRequest(app, two)).merge_status, 'can_be_merged');
  await merge(two);
  assert.deepEqual(await targets(), ['merged main', 'merged main', 'opened main']);
  await merge(three);
  assert.deepEqual(await targets(), ['merged main', 'merged main', 'merged main']);
});

test('nothing is retargeted where the branch stays, or is deleted by hand', async () => {
  const { project, rows, merge, targets } = await chain();
  await merge(rows[0]!, {});
  assert.deepEqual(await targets(), ['merged main', 'opened one', 'opened two']);
  expectStatus(await app.delete(`/projects/${project.id}/repository/branches/one`), 204);
  await app.drain();
  assert.deepEqual(await targets(), ['merged main', 'opened one', 'opened two']);
});

test('four are retargeted at most, and none that would be a second one', async () => {
  const { project, git, rows, merge } = await chain();
  const more: MergeRequest[] = [];
  for (const n of [1, 2, 3, 4, 5]) {
    const source_branch = `more-${n}`;
    git.commit(source_branch, { [`${n}.txt`]: '1\n' }, { start: rows[0]!.head_sha! });
    more.push(await makeMergeRequest(app, project, { source_branch, target_branch: 'one' }));
  }
  await makeMergeRequest(app, project, { source_branch: 'more-1', target_branch: 'main' });
  await merge(rows[0]!);
  const targetBranches = await Promise.all(
    [rows[1]!, ...more].map(async (row) => (await reloadMergeRequest(app, row)).target_branch),
  );
  assert.deepEqual(targetBranches, ['main', 'one', 'main', 'main', 'one', 'one']);
});

test('an automatic merge and approvals that a push takes away go, as with any other target', async () => {
  const { project, rows, merge } = await chain();
  const { owner, maintainer } = await app.make.members(project);
  const path = `/projects/${project.id}/merge_requests/${rows[1]!.iid}`;
  const rule = { name: 'r', approvals_required: 2, user_ids: [owner.user.id, maintainer.user.id] };
  expectStatus(await app.post(`${path}/approval_rules`, { json: rule }), 201);
  expectStatus(await app.post(`/projects/${project.id}/approvals`, { json: { reset_approvals_on_push: true } }), 201);
  expectStatus(await app.post(`${path}/approve`, { token: maintainer.token }), 201);
  expectStatus(await app.put(`${path}/merge`, { json: { auto_merge: true } }), 200);
  await merge(rows[0]!);
  const now = await reloadMergeRequest(app, rows[1]!);
  assert.deepEqual([now.state, now.target_branch, now.auto_merge], ['opened', 'main', 0]);
  const { approved_by } = expectStatus<{ approved_by: unknown[] }>(await app.get(`${path}/approvals`), 200);
  assert.deepEqual(approved_by, []);
});
