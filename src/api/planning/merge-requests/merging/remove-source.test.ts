import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;
let base: string;
let head: string;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
  base = git.commit('main', { 'a.txt': '1\n' });
  head = git.commit('topic', { 'b.txt': 'b\n' }, { start: base });
});

const open = (columns: Partial<MergeRequest> = {}) =>
  makeMergeRequest(app, project, { source_branch: 'topic', ...columns });
const merge = ({ iid }: MergeRequest, json: object = {}, token?: string) =>
  app.put(`/projects/${project.id}/merge_requests/${iid}/merge`, { json, ...(token === undefined ? {} : { token }) });
const tip = (branch: string) => git.run(['rev-parse', `refs/heads/${branch}`]);
const shown = (format: string, commit: string) => git.run(['show', '-s', `--format=${format}`, commit]);

describe('the source branch', () => {
  const isThere = () => git.run(['for-each-ref', 'refs/heads/topic']) !== '';

  test('goes when the merge asks for it', async () => {
    expectStatus(await merge(await open(), { should_remove_source_branch: true }), 200);
    assert.equal(isThere(), false);
    await app.drain();
    assert.deepEqual(
      await app.deps.db.selectFrom('jobs').select('kind').where('kind', 'like', 'merging.%').execute(),
      [],
    );
  });

  test('goes when the merge request says so, unless the merge says otherwise', async () => {
    const first = await open({ remove_source_branch: 1 });
    expectStatus(await merge(first, { should_remove_source_branch: false }), 200);
    assert.equal(isThere(), true);
    git.commit('topic', { 'e.txt': 'e\n' });
    expectStatus(await merge(await open({ remove_source_branch: 1 })), 200);
    assert.equal(isThere(), false);
  });

  test('stays when it is protected or the default branch', async () => {
    await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'topic' } });
    expectStatus(await merge(await open(), { should_remove_source_branch: true }), 200);
    assert.equal(isThere(), true);
    git.commit('release', { 'r.txt': 'r\n' }, { start: base });
    const row = await makeMergeRequest(app, project, { source_branch: 'main', target_branch: 'release' });
    expectStatus(await merge(row, { should_remove_source_branch: true }), 200);
    assert.notEqual(tip('main'), '');
  });

  test('is removed later when the process dies right after the merge', async () => {
    const row = await open({ remove_source_branch: 1 });
    expectStatus(await merge(row, { should_remove_source_branch: true }), 200);
    git.run(['update-ref', 'refs/heads/topic', head]);
    const payload = { merge_request_id: row.id, user_id: 1 };
    await app.deps.jobs.enqueue(app.deps.db, jobKind('merging.remove_source_branch', { lane: 'git' }), payload);
    await app.drain();
    assert.equal(isThere(), false);
  });
});

test('a fork is merged, and its branch goes when the author wants it to', async () => {
  const author = await app.make.user();
  await app.deps.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute();
  const fork = await app.make.project({
    owner: author.user,
    columns: { forked_from_id: project.id, fork_root_id: project.id },
  });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  const change = forkGit.commit('patch', { 'f.txt': 'f\n' }, { start: base });
  const row = await makeMergeRequest(app, project, {
    source_branch: 'patch',
    source_project_id: fork.id,
    author_id: author.user.id,
    remove_source_branch: 1,
  });
  const { maintainer } = await app.make.members(project);
  const body = expectStatus(await merge(row, {}, maintainer.token), 200);
  assert.equal(shown('%P', String(body.merge_commit_sha)), `${base} ${change}`);
  assert.equal(forkGit.run(['for-each-ref', 'refs/heads/patch']), '');
});
