import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const ROUNDS = 6;

const commit = (project: Project, branch: string, file: string) =>
  app.post(`/projects/${project.id}/repository/commits`, {
    json: {
      branch,
      commit_message: file,
      actions: [{ action: 'create', file_path: file, content: file }],
    },
  });

const rowOf = (project: Project, iid: number) =>
  app.deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('iid', '=', iid)
    .executeTakeFirstOrThrow();

test('a push while a merge request is made or opened again is not lost', async () => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const start = git.commit('main', { 'a.txt': 'one\n' });
  const path = `/projects/${project.id}/merge_requests`;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const branch = `topic-${round}`;
    git.commit(branch, { 'b.txt': branch }, { start });
    const json = { title: branch, source_branch: branch, target_branch: 'main' };
    const [made, pushed] = await Promise.all([app.post(path, { json }), commit(project, branch, 'one')]);
    expectStatus(made, 201);
    expectStatus(pushed, 201);
    await app.drain();
    const tip = () => git.run(['rev-parse', `refs/heads/${branch}`]);
    assert.equal((await rowOf(project, round)).head_sha, tip());
    expectStatus(await app.put(`${path}/${round}`, { json: { state_event: 'close' } }), 200);
    const [opened, again] = await Promise.all([
      app.put(`${path}/${round}`, { json: { state_event: 'reopen' } }),
      commit(project, branch, 'two'),
    ]);
    expectStatus(opened, 200);
    expectStatus(again, 201);
    await app.drain();
    const row = await rowOf(project, round);
    assert.deepEqual([row.head_sha, row.approvals_syncing, row.merge_status], [tip(), 0, 'can_be_merged']);
    assert.equal(git.run(['rev-parse', `refs/merge-requests/${round}/head`]), tip());
  }
});

test('a push just after a merge request was refreshed in the request keeps its own refresh', async (t) => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  git.commit('topic', { 'b.txt': 'b' }, { start: git.commit('main', { 'a.txt': 'one\n' }) });
  const path = `/projects/${project.id}/merge_requests`;
  const json = { title: 'x', source_branch: 'topic', target_branch: 'main' };
  expectStatus(await app.post(path, { json }), 201);
  await app.drain();
  expectStatus(await app.put(`${path}/1`, { json: { state_event: 'close' } }), 200);
  const { writes } = app.deps;
  const { id } = await rowOf(project, 1);
  const run = writes.run.bind(writes);
  let pushed = false;
  t.mock.method(writes, 'run', async (key: string, work: () => Promise<unknown>) => {
    const result = await run(key, work);
    if (key === `merge_requests.refresh:${id}` && !pushed) {
      pushed = true;
      expectStatus(await commit(project, 'topic', 'late'), 201);
    }
    return result;
  });
  expectStatus(await app.put(`${path}/1`, { json: { state_event: 'reopen' } }), 200);
  assert.ok(pushed);
  // Other work of the push may refresh the merge request too; its own job must be there anyway.
  const key = `merge_requests.refresh:${id}`;
  const jobs = await app.deps.db.selectFrom('jobs').select('state').where('unique_key', '=', key).execute();
  assert.deepEqual(
    jobs.map(({ state }) => state),
    ['waiting'],
  );
  await app.drain();
  const row = await rowOf(project, 1);
  const tip = git.run(['rev-parse', 'refs/heads/topic']);
  assert.deepEqual([row.head_sha, row.approvals_syncing, row.merge_status], [tip, 0, 'can_be_merged']);
  assert.equal(git.run(['rev-parse', 'refs/merge-requests/1/head']), tip);
});

test('pushes to source and target at once leave one version of the last head, and one merge', async () => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const start = git.commit('main', { 'a.txt': 'one\n' });
  git.commit('topic', { 'b.txt': 'b' }, { start });
  const json = { title: 'x', source_branch: 'topic', target_branch: 'main' };
  expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json }), 201);
  await Promise.all([
    ...Array.from({ length: 5 }, (_, index) => commit(project, 'topic', `topic-${index}`)),
    ...Array.from({ length: 5 }, (_, index) => commit(project, 'main', `main-${index}`)),
    ...Array.from({ length: 5 }, () => app.get(`/projects/${project.id}/merge_requests/1`)),
  ]);
  await app.drain();
  const head = git.run(['rev-parse', 'refs/heads/topic']);
  const row = await rowOf(project, 1);
  assert.equal(row.head_sha, head);
  const versions = await app.deps.db
    .selectFrom('merge_request_diffs')
    .selectAll()
    .where('merge_request_id', '=', row.id)
    .orderBy('id')
    .execute();
  assert.equal(versions.at(-1)?.head_commit_sha, head);
  assert.equal(new Set(versions.map(({ head_commit_sha }) => head_commit_sha)).size, versions.length);
  assert.equal(row.latest_diff_id, versions.at(-1)?.id);
  const single = expectStatus(await app.get(`/projects/${project.id}/merge_requests/1`), 200);
  assert.equal(single.detailed_merge_status, 'mergeable');
});
