import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { meanwhile } from '../../../../../test/support/meanwhile.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });

/** No transaction can begin until the returned function is called. */
function takeDatabaseAway(): () => void {
  const { db } = app.deps;
  const transaction = db.transaction.bind(db);
  db.transaction = () => {
    throw away();
  };
  return () => {
    db.transaction = transaction;
  };
}

test('a merge that lost the database is open again soon after that is back', async () => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const start = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start });
  const row = await makeMergeRequest(app, project, { source_branch: 'topic' });
  let bringBack = () => {};
  // Between the lock and the merge.
  meanwhile(app, async () => {
    bringBack = takeDatabaseAway();
  });
  const merge = () => app.put(`/projects/${project.id}/merge_requests/${row.iid}/merge`);
  expectStatus(await merge(), 503);
  assert.equal((await reloadMergeRequest(app, row)).state, 'locked');
  bringBack();
  while ((await reloadMergeRequest(app, row)).state === 'locked') await pause(20);
  assert.equal((await reloadMergeRequest(app, row)).state, 'opened');
  const left = await app.deps.db.selectFrom('jobs').select('id').where('kind', '=', 'merging.unlock').execute();
  assert.equal(left.length, 0);
  assert.equal(expectStatus(await merge(), 200).state, 'merged');
});
