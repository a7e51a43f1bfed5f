import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../../test/support/app.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import { dieAs, findDead, secondProcess } from '../../../../../test/support/second-process.ts';
import { ANONYMOUS } from '../../../../access/caller.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { recoverIntents } from '../../../../repositories/recover-intents.ts';
import { lockForMerge, recoverMerges } from './merging.lock.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
let row: MergeRequest;
let tip: string;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  app.deps.alone = true;
  project = await app.make.project();
  git = new ProjectGit(app, project);
  tip = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: tip });
  row = await makeMergeRequest(app, project, { source_branch: 'topic' });
  // A process takes the merge request, and dies.
  const params = { should_remove_source_branch: true };
  const user = await app.deps.db.selectFrom('users').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  const caller = { ...ANONYMOUS, user, admin: true };
  await lockForMerge(app.deps, { mergeRequest: row, caller, params }, clock.now().toISOString());
});

const now = () => reloadMergeRequest(app, row);
const merge = () => app.put(`/projects/${project.id}/merge_requests/${row.iid}/merge`);

/** What the process left when it died after it had stored its intent. */
async function leaveIntent(): Promise<string> {
  const commit = git.run(['commit-tree', `${row.head_sha}^{tree}`, '-p', tip, '-p', row.head_sha!, '-m', 'merge']);
  const cause = {
    type: 'merge',
    merge_request_id: row.id,
    head_sha: row.head_sha,
    merge_commit_sha: commit,
    squash_commit_sha: null,
  };
  await app.deps.db
    .insertInto('ref_intents')
    .values({
      project_id: project.id,
      user_id: 1,
      updates: JSON.stringify([{ ref: 'refs/heads/main', old: tip, new: commit }]),
      context: JSON.stringify({ via: 'api', pushOptions: [], cause, wasEmpty: false }),
      created_at: clock.now().toISOString(),
    })
    .execute();
  return commit;
}

describe('a merge whose process died', () => {
  test('before anything was written is taken back at the start, and can be done again', async () => {
    expectStatus(await merge(), 405);
    await recoverIntents(app.deps);
    await recoverMerges(app.deps);
    const { state, locked_at, merge_params, merge_user_id } = await now();
    assert.deepEqual([state, locked_at, merge_params, merge_user_id], ['opened', null, '{}', null]);
    expectStatus(await merge(), 200);
  });

  test('with its intent stored, but no ref moved, is taken back', async () => {
    await leaveIntent();
    await recoverIntents(app.deps);
    await recoverMerges(app.deps);
    assert.equal((await now()).state, 'opened');
    assert.equal(git.run(['rev-parse', 'main']), tip);
  });

  test('with the branch moved is entered, and its source branch goes', async () => {
    const commit = await leaveIntent();
    git.run(['update-ref', 'refs/heads/main', commit]);
    await recoverIntents(app.deps);
    await recoverMerges(app.deps);
    const { state, merge_commit_sha, locked_at, merge_user_id } = await now();
    assert.deepEqual([state, merge_commit_sha, locked_at, merge_user_id], ['merged', commit, null, 1]);
    await app.drain();
    assert.equal(git.run(['for-each-ref', 'refs/heads/topic']), '');
  });

  test('beside other servers is left to its job, which opens it once no merge can take so long', async () => {
    app.deps.alone = false;
    await recoverMerges(app.deps);
    await app.drain();
    assert.equal((await now()).state, 'locked');
    clock.advance(20 * 60_000);
    await app.drain();
    assert.equal((await now()).state, 'opened');
    expectStatus(await merge(), 200);
  });

  test('is not opened while its intent is there', async () => {
    await leaveIntent();
    await recoverMerges(app.deps);
    clock.advance(20 * 60_000);
    await app.drain();
    assert.equal((await now()).state, 'locked');
    const job = await app.deps.db
      .selectFrom('jobs')
      .select('state')
      .where('kind', '=', 'merging.unlock')
      .where('unique_key', '=', `merging.unlock:${row.id}`)
      .executeTakeFirst();
    assert.equal(job?.state, 'waiting');
    await recoverIntents(app.deps);
  });

  test('keeps an automatic merge waiting', async () => {
    await app.deps.db.updateTable('merge_requests').set({ auto_merge: 1 }).where('id', '=', row.id).execute();
    await recoverMerges(app.deps);
    const { state, auto_merge, merge_user_id } = await now();
    assert.deepEqual([state, auto_merge, merge_user_id], ['opened', 1, 1]);
  });
});

describe('a merge whose process died beside others', { skip: !process.env.STITHY_TEST_POSTGRES }, () => {
  let other: TestApp;
  let taken: MergeRequest;
  beforeEach(async () => {
    app.deps.alone = false;
    other = (await secondProcess(app))!;
    git.commit('second', { c: '1' }, { start: tip });
    taken = await makeMergeRequest(app, project, { source_branch: 'second' });
    const user = await app.deps.db.selectFrom('users').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
    const caller = { ...ANONYMOUS, user, admin: true };
    await lockForMerge(other.deps, { mergeRequest: taken, caller, params: {} }, clock.now().toISOString());
  });
  afterEach(() => other.close());

  const state = async (of: MergeRequest) => (await reloadMergeRequest(app, of)).state;

  test('is taken back once that is known, and no merge of those that live', async () => {
    await findDead(app);
    assert.equal(await state(taken), 'locked');
    await dieAs(other);
    await findDead(app);
    assert.deepEqual([await state(taken), await state(row)], ['opened', 'locked']);
    expectStatus(await app.put(`/projects/${project.id}/merge_requests/${taken.iid}/merge`), 200);
  });

  test('is entered where its branch has moved', async () => {
    const commit = git.run(['commit-tree', `${tip}^{tree}`, '-p', tip, '-p', taken.head_sha!, '-m', 'merge']);
    const { head_sha } = taken;
    const merge = {
      type: 'merge',
      merge_request_id: taken.id,
      head_sha,
      merge_commit_sha: commit,
      squash_commit_sha: null,
    };
    await app.deps.db
      .insertInto('ref_intents')
      .values({
        project_id: project.id,
        user_id: 1,
        updates: JSON.stringify([{ ref: 'refs/heads/main', old: tip, new: commit }]),
        context: JSON.stringify({ via: 'api', pushOptions: [], cause: merge, wasEmpty: false }),
        created_at: clock.now().toISOString(),
        process_id: other.deps.processes.id,
      })
      .execute();
    git.run(['update-ref', 'refs/heads/main', commit]);
    await dieAs(other);
    await findDead(app);
    assert.equal(await state(taken), 'merged');
  });
});
