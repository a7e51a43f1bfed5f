import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Updateable } from 'kysely';
import { buildTestApp, type TestApp, TestClock } from '../../../../../test/support/app.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest, MergeRequestsTable } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { changedSettings, type ProjectSettings } from '../../../spaces/projects/projects.settings.ts';
import { checkMergeability, detailedMergeStatuses } from './mergeability.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
let mergeRequest: MergeRequest;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': '1\n' });
  git.commit('topic', { 'b.txt': 'b\n' }, { start: base });
  mergeRequest = await makeMergeRequest(app, project, { source_branch: 'topic' });
});

const status = async () => {
  const row = await reloadMergeRequest(app, mergeRequest);
  return (await detailedMergeStatuses(app.deps, app.deps.db, [row])).get(row.id);
};
const set = async (columns: Updateable<MergeRequestsTable>) => {
  await app.deps.db.updateTable('merge_requests').set(columns).where('id', '=', mergeRequest.id).execute();
};
const configure = async (changes: Partial<ProjectSettings>) => {
  const settings = changedSettings(project, changes);
  project = await app.deps.db
    .updateTable('projects')
    .set({ settings })
    .where('id', '=', project.id)
    .returningAll()
    .executeTakeFirstOrThrow();
};
const expectStatusOf = async (columns: Updateable<MergeRequestsTable>, expected: string) => {
  await set(columns);
  assert.equal(await status(), expected);
};

test('a merge request that git can merge is mergeable', async () => {
  assert.equal(mergeRequest.merge_status, 'can_be_merged');
  assert.equal(await status(), 'mergeable');
});

test('an unsettled status is told before everything else', async () => {
  await set({ state: 'closed' });
  await expectStatusOf({ merge_status: 'unchecked' }, 'unchecked');
  await expectStatusOf({ merge_status: 'checking' }, 'checking');
  await expectStatusOf({ merge_status: 'cannot_be_merged_rechecking' }, 'checking');
  await expectStatusOf({ merge_status: 'preparing' }, 'preparing');
});

test('what stands in the way is told in a fixed order', async () => {
  await configure({
    only_allow_merge_if_all_discussions_are_resolved: true,
    only_allow_merge_if_pipeline_succeeds: true,
    merge_request_title_regex: '^Ready',
    merge_method: 'ff',
  });
  git.commit('main', { 'b.txt': 'other\n' });
  await set({ merge_status: 'unchecked' });
  await checkMergeability(app.deps, mergeRequest);
  await app.deps.db
    .insertInto('lfs_locks')
    .values({
      project_id: project.id,
      user_id: (await app.make.user()).user.id,
      path: 'b.txt',
      ref: null,
      locked_at: '',
    })
    .execute();
  const note = await addThread();
  const reviewer = {
    merge_request_id: mergeRequest.id,
    user_id: 1,
    state: 'requested_changes',
    created_at: '',
  } as const;
  await app.deps.db.insertInto('merge_request_reviewers').values(reviewer).execute();
  await set({
    approvals_syncing: 1,
    state: 'locked',
    merge_after: '2026-06-16T00:00:00.000Z',
    draft: 1,
    source_branch: 'gone',
  });
  assert.equal(await status(), 'requested_changes');
  await app.deps.db.deleteFrom('merge_request_reviewers').execute();
  assert.equal(await status(), 'approvals_syncing');
  await expectStatusOf({ approvals_syncing: 0 }, 'not_open');
  await expectStatusOf({ state: 'opened' }, 'merge_time');
  await expectStatusOf({ merge_after: '2026-06-15T11:00:00.000Z' }, 'draft_status');
  await expectStatusOf({ draft: 0 }, 'commits_status');
  await expectStatusOf({ source_branch: 'topic' }, 'discussions_not_resolved');
  await app.deps.db.updateTable('notes').set({ resolved_at: '2026' }).where('id', '=', note).execute();
  assert.equal(await status(), 'title_regex');
  await expectStatusOf({ title: 'Ready at last' }, 'locked_lfs_files');
  await app.deps.db.deleteFrom('lfs_locks').execute();
  assert.equal(await status(), 'conflict');
  await expectStatusOf({ merge_status: 'can_be_merged' }, 'need_rebase');
  await configure({ merge_method: 'merge' });
  assert.equal(await status(), 'ci_must_pass');
});

async function addThread(): Promise<number> {
  const values = {
    project_id: project.id,
    noteable_type: 'MergeRequest',
    noteable_id: mergeRequest.id,
    commit_id: null,
    discussion_id: 'd',
    type: 'DiscussionNote',
    author_id: 1,
    note: 'why?',
    position: null,
    resolved_at: null,
    resolved_by_id: null,
    system_action: null,
    updated_by_id: null,
    created_at: '',
    updated_at: '',
  } as const;
  return (await app.deps.db.insertInto('notes').values(values).returning('id').executeTakeFirstOrThrow()).id;
}

test('the newest pipeline of the head decides where the project asks for one', async () => {
  const report = async (state: string, ref = 'topic', sha = mergeRequest.head_sha!) => {
    const response = await app.post(`/projects/${project.id}/statuses/${sha}`, { json: { state, ref } });
    assert.equal(response.statusCode, 201, response.body);
  };
  await report('running');
  assert.equal(await status(), 'mergeable');
  await configure({ only_allow_merge_if_pipeline_succeeds: true });
  assert.equal(await status(), 'ci_still_running');
  await report('failed');
  assert.equal(await status(), 'ci_must_pass');
  await report('success', 'main', git.run(['rev-parse', 'main']));
  assert.equal(await status(), 'ci_must_pass');
  await report('success');
  assert.equal(await status(), 'mergeable');
  await app.deps.db.updateTable('pipelines').set({ status: 'skipped' }).execute();
  assert.equal(await status(), 'ci_must_pass');
  await configure({ allow_merge_on_skipped_pipeline: true });
  assert.equal(await status(), 'mergeable');
});

test('a project that wants no diverged branches asks for a rebase only when the target went on', async () => {
  for (const merge_method of ['ff', 'rebase_merge'] as const) {
    await configure({ merge_method });
    assert.equal(await status(), 'mergeable');
  }
  git.commit('main', { 'c.txt': 'c\n' });
  assert.equal(await status(), 'need_rebase');
});

test('a branch without commits of its own has nothing to merge', async () => {
  const { id } = await app.deps.db
    .insertInto('merge_request_diffs')
    .values({
      merge_request_id: mergeRequest.id,
      head_commit_sha: mergeRequest.head_sha!,
      base_commit_sha: mergeRequest.head_sha!,
      start_commit_sha: mergeRequest.head_sha!,
      state: 'empty',
      real_size: '0',
      commits_count: 0,
      patch_id_sha: null,
      created_at: '',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await expectStatusOf({ latest_diff_id: id }, 'commits_status');
});

test('a title pattern that cannot be read lets nothing pass', async () => {
  await configure({ merge_request_title_regex: '(' });
  assert.equal(await status(), 'title_regex');
});

test('a check finds conflicts and stores what it found', async () => {
  git.commit('main', { 'b.txt': 'other\n' });
  await set({ merge_status: 'cannot_be_merged_recheck' });
  assert.equal((await checkMergeability(app.deps, mergeRequest)).merge_status, 'cannot_be_merged');
  assert.equal((await reloadMergeRequest(app, mergeRequest)).merge_status, 'cannot_be_merged');
  assert.equal(await status(), 'conflict');
});

test('a check that was left half-way by a dead process is made again', async () => {
  await set({ merge_status: 'checking' });
  assert.equal((await checkMergeability(app.deps, mergeRequest)).merge_status, 'can_be_merged');
});

test('a check leaves alone what is settled, closed, or has a head that is not there yet', async () => {
  await set({ merge_status: 'cannot_be_merged' });
  assert.equal((await checkMergeability(app.deps, mergeRequest)).merge_status, 'cannot_be_merged');
  await set({ merge_status: 'unchecked', state: 'closed' });
  assert.equal((await checkMergeability(app.deps, mergeRequest)).merge_status, 'unchecked');
  await set({ state: 'opened', head_sha: '1'.repeat(40) });
  assert.equal((await checkMergeability(app.deps, mergeRequest)).merge_status, 'unchecked');
});

test('checks at the same time agree', async () => {
  await set({ merge_status: 'unchecked' });
  const checks = await Promise.all(Array.from({ length: 8 }, () => checkMergeability(app.deps, mergeRequest)));
  assert.deepEqual(new Set(checks.map(({ merge_status }) => merge_status)), new Set(['can_be_merged']));
});

test('a missing branch cannot be merged', async () => {
  for (const columns of [{ source_branch: 'gone' }, { source_branch: 'topic', target_branch: 'gone' }]) {
    await set({ ...columns, merge_status: 'unchecked' });
    assert.equal((await checkMergeability(app.deps, mergeRequest)).merge_status, 'cannot_be_merged');
    assert.equal(await status(), 'commits_status');
  }
});
