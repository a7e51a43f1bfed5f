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

type Row = Record<string, unknown>;
const pathOf = (project: Project, rest = '') => `/projects/${project.id}/merge_requests/1${rest}`;

async function seeded(options: Parameters<TestApp['make']['project']>[0] = {}) {
  const project = await app.make.project(options);
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n' });
  const first = git.commit('topic', { 'b.txt': 'two\n' }, { start: base, message: 'first\n\nSee #1\n' });
  const head = git.commit('topic', { 'a.txt': 'changed\n' }, { message: 'second\n' });
  const json = { title: 'A change', source_branch: 'topic', target_branch: 'main' };
  expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json }), 201);
  return { project, git, base, first, head };
}

test('GET changes, diffs and raw_diffs show the files against the merge base', async () => {
  const { project, git } = await seeded();
  git.commit('main', { 'unrelated.txt': 'x\n' });
  const changes = expectStatus<{ changes: Row[]; overflow: boolean; iid: number }>(
    await app.get(pathOf(project, '/changes')),
    200,
  );
  assert.deepEqual(
    changes.changes.map(({ new_path, new_file, diff }) => [new_path, new_file, diff]),
    [
      ['a.txt', false, '@@ -1 +1 @@\n-one\n+changed\n'],
      ['b.txt', true, '@@ -0,0 +1 @@\n+two\n'],
    ],
  );
  assert.deepEqual([changes.overflow, changes.iid], [false, 1]);
  const response = await app.get(pathOf(project, '/diffs'), { query: { per_page: 1, page: 2, unidiff: true } });
  assert.deepEqual(
    expectStatus<Row[]>(response, 200).map(({ diff }) => diff),
    ['--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+two\n'],
  );
  assert.equal(response.headers['x-total'], '2');
  const raw = await app.get(pathOf(project, '/raw_diffs'));
  assert.match(String(raw.headers['content-type']), /^text\/plain/);
  assert.match(raw.body, /^diff --git a\/a\.txt b\/a\.txt\nindex /);
  assert.match(raw.body, /\+two\n$/);
});

test('GET commits and versions tell what each push made', async () => {
  const { project, git, first, head } = await seeded();
  const response = await app.get(pathOf(project, '/commits'), { query: { per_page: 1 } });
  assert.deepEqual(
    expectStatus<Row[]>(response, 200).map(({ id }) => id),
    [head],
  );
  assert.equal(response.headers['x-total'], '2');
  const next = git.commit('topic', { 'c.txt': 'three\n' });
  expectStatus(await app.put(pathOf(project), { json: { state_event: 'close' } }), 200);
  expectStatus(await app.put(pathOf(project), { json: { state_event: 'reopen' } }), 200);
  const versions = expectStatus<Row[]>(await app.get(pathOf(project, '/versions')), 200);
  assert.deepEqual(
    versions.map(({ head_commit_sha, real_size, state }) => [head_commit_sha, real_size, state]),
    [
      [next, '3', 'collected'],
      [head, '2', 'collected'],
    ],
  );
  assert.match(String(versions[0]!.patch_id_sha), /^[0-9a-f]{40}$/);
  const old = expectStatus<{ commits: Row[]; diffs: Row[] }>(
    await app.get(pathOf(project, `/versions/${versions[1]!.id}`)),
    200,
  );
  assert.deepEqual(
    old.commits.map(({ id }) => id),
    [head, first],
  );
  assert.equal(old.diffs.length, 2);
  const other = await seeded();
  expectStatus(await app.get(pathOf(other.project, `/versions/${versions[0]!.id}`)), 404);
});

test('what a fork brought stays readable when the fork becomes private, and when it is gone', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  const { user, token } = await app.make.user();
  const columns = { forked_from_id: project.id, fork_root_id: project.id };
  const fork = await app.make.project({ owner: user, visibility: 'public', columns });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  const head = forkGit.commit('change', { 'c.txt': 'from afar\n' });
  const json = { title: 'x', source_branch: 'change', target_branch: 'main', target_project_id: project.id };
  expectStatus(await app.post(`/projects/${fork.id}/merge_requests`, { json, token }), 201);
  const now = {
    project_id: fork.id,
    sha: head,
    ref: 'change',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
  await app.deps.db
    .insertInto('pipelines')
    .values({
      ...now,
      iid: 1,
      source: 'external',
      status: 'success',
      user_id: user.id,
      started_at: null,
      finished_at: null,
    })
    .execute();
  const stranger = await app.make.user();
  const pipelines = async (as: string) =>
    expectStatus<Row[]>(await app.get(pathOf(project, '/pipelines'), { token: as }), 200).length;
  assert.equal(await pipelines(stranger.token), 1);
  await app.deps.db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', fork.id).execute();
  assert.equal(await pipelines(stranger.token), 0);
  assert.equal(await pipelines(token), 1);
  const shown = async () => {
    for (const rest of [
      '',
      '/changes',
      '/diffs',
      '/commits',
      '/versions',
      '/raw_diffs',
      '/pipelines',
      '/closes_issues',
    ]) {
      const response = await app.get(pathOf(project, rest), { token: stranger.token });
      assert.equal(response.statusCode, 200, `${rest}: ${response.body}`);
    }
  };
  await shown();
  const hidden = expectStatus<Row>(await app.get(pathOf(project), { token: stranger.token }), 200);
  assert.ok(!('head_pipeline' in hidden));
  expectStatus(await app.delete(`/projects/${fork.id}`, { token }), 202);
  await app.drain();
  await shown();
  const orphan = expectStatus<Row>(await app.get(pathOf(project), { token: stranger.token }), 200);
  assert.deepEqual([orphan.source_project_id, orphan.sha], [null, head]);
  expectStatus(await app.put(pathOf(project), { json: { title: 'still there' } }), 200);
});

test('a merge request of a project that became private is gone for the author of the fork', async () => {
  const { project } = await seeded({ visibility: 'public' });
  const { token } = await app.make.user();
  expectStatus(await app.get(pathOf(project, '/changes'), { token }), 200);
  await app.deps.db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', project.id).execute();
  for (const rest of [
    '',
    '/changes',
    '/diffs',
    '/commits',
    '/versions',
    '/raw_diffs',
    '/pipelines',
    '/closes_issues',
  ]) {
    expectStatus(await app.get(pathOf(project, rest), { token }), 404);
  }
});

test('GET closes_issues and related_issues leave out what the caller may not see', async () => {
  const { project, first } = await seeded({ visibility: 'public' });
  const now = '2026-01-01T00:00:00.000Z';
  const ids: number[] = [];
  for (const [iid, confidential] of [
    [1, 0],
    [2, 1],
    [3, 0],
  ] as const) {
    const { id } = await app.deps.db
      .insertInto('issues')
      .values({
        iid,
        project_id: project.id,
        author_id: 1,
        title: `issue ${iid}`,
        confidential,
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    ids.push(id);
  }
  const { id } = await app.deps.db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  await app.deps.db
    .insertInto('merge_requests_closing_issues')
    .values(ids.slice(0, 2).map((issue_id) => ({ merge_request_id: id, issue_id })))
    .execute();
  await app.deps.db
    .insertInto('cross_references')
    .values({
      target_type: 'Issue',
      target_id: ids[2]!,
      source_type: 'Commit',
      source_id: null,
      source_sha: first,
      source_key: `Commit:${project.id}:${first}`,
      source_project_id: project.id,
      target_project_id: project.id,
      note_id: null,
      created_at: now,
    })
    .execute();
  const iidsAt = async (rest: string, token: string | null) => {
    const response = await app.get(pathOf(project, rest), { token });
    const iids = expectStatus<{ iid: number }[]>(response, 200).map(({ iid }) => iid);
    assert.equal(response.headers['x-total'], String(iids.length));
    return iids;
  };
  const { planner } = await app.make.members(project);
  assert.deepEqual(await iidsAt('/closes_issues', null), [], 'what it says now counts');
  expectStatus(await app.put(pathOf(project), { json: { description: 'Closes #1, closes #2' } }), 200);
  assert.deepEqual(await iidsAt('/closes_issues', null), [1]);
  assert.deepEqual(await iidsAt('/closes_issues', planner.token), [1, 2]);
  assert.deepEqual(await iidsAt('/related_issues', null), [1, 3]);
  assert.deepEqual(await iidsAt('/related_issues', planner.token), [1, 2, 3]);
});

test('GET commits/:sha/merge_requests finds those that brought it in', async () => {
  const { project, first, base } = await seeded({ visibility: 'public' });
  const at = (sha: string, query = '') => `/projects/${project.id}/repository/commits/${sha}/merge_requests${query}`;
  const iids = async (path: string, token: string | null = null) =>
    expectStatus<{ iid: number }[]>(await app.get(path, { token }), 200).map(({ iid }) => iid);
  assert.deepEqual(await iids(at(first)), [1]);
  assert.deepEqual(await iids(at(first, '?state=merged')), []);
  assert.deepEqual(await iids(at(base)), []);
  await app.deps.db
    .updateTable('merge_requests')
    .set({ squash_commit_sha: base })
    .where('project_id', '=', project.id)
    .execute();
  assert.deepEqual(await iids(at(base)), [1]);
  await app.deps.db
    .updateTable('projects')
    .set({ merge_requests_access_level: 'private' })
    .where('id', '=', project.id)
    .execute();
  assert.deepEqual(await iids(at(first)), []);
});

test('GET reviewers tells what each has said', async () => {
  const { project } = await seeded();
  const { developer } = await app.make.members(project);
  expectStatus(await app.put(pathOf(project), { json: { reviewer_ids: [developer.user.id] } }), 200);
  const [reviewer] = expectStatus<{ user: Row; state: string }[]>(await app.get(pathOf(project, '/reviewers')), 200);
  assert.deepEqual([reviewer?.user.id, reviewer?.state], [developer.user.id, 'unreviewed']);
});

test('those who may not read code see no changes', async () => {
  const { project } = await seeded({ visibility: 'public' });
  await app.deps.db
    .updateTable('projects')
    .set({ repository_access_level: 'private' })
    .where('id', '=', project.id)
    .execute();
  const { token } = await app.make.user();
  expectStatus(await app.get(pathOf(project), { token }), 200);
  for (const rest of ['/changes', '/diffs', '/commits', '/versions', '/raw_diffs']) {
    expectStatus(await app.get(pathOf(project, rest), { token }), 403);
  }
});

test('DELETE merged_branches spares the branches of open merge requests', async () => {
  const { project, git, base } = await seeded();
  for (const name of ['merged', 'release', 'old']) git.run(['update-ref', `refs/heads/${name}`, base]);
  git.commit('main', { 'x.txt': 'x\n' });
  const post = (source_branch: string, target_branch: string) =>
    app.post(`/projects/${project.id}/merge_requests`, { json: { title: 'x', source_branch, target_branch } });
  expectStatus(await post('merged', 'main'), 201);
  expectStatus(await post('topic', 'release'), 201);
  expectStatus(await app.delete(`/projects/${project.id}/repository/merged_branches`), 202);
  await app.drain();
  const heads = git.run(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/']).split('\n');
  assert.deepEqual(heads, ['main', 'merged', 'release', 'topic']);
});

test('closes_issues follows the description, the target branch and new commits at once', async () => {
  const { project, git } = await seeded();
  for (const title of ['one', 'two'])
    expectStatus(await app.post(`/projects/${project.id}/issues`, { json: { title } }), 201);
  const closes = async () =>
    expectStatus<{ iid: number }[]>(await app.get(pathOf(project, '/closes_issues')), 200).map(({ iid }) => iid);
  assert.deepEqual(await closes(), []);
  expectStatus(await app.put(pathOf(project), { json: { description: 'Fixes #1' } }), 200);
  assert.deepEqual(await closes(), [1]);
  const json = {
    branch: 'topic',
    commit_message: 'Closes #2',
    actions: [{ action: 'create', file_path: 'closing.txt', content: 'x' }],
  };
  expectStatus(await app.post(`/projects/${project.id}/repository/commits`, { json }), 201);
  assert.deepEqual(await closes(), [1, 2]);
  git.run(['branch', 'next', 'main']);
  expectStatus(await app.put(pathOf(project), { json: { target_branch: 'next' } }), 200);
  assert.deepEqual(await closes(), []);
});
