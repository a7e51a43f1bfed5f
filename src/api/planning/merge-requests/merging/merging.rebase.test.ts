import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Updateable } from 'kysely';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { meanwhile } from '../../../../../test/support/meanwhile.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest, MergeRequestsTable } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;
let base: string;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
  base = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: base, message: 'One\n' });
  git.commit('topic', { b: '2' }, { message: 'Two\n\nwhy\n', email: 'zoe@example.com' });
});

const open = (columns: Partial<MergeRequest> = {}) =>
  makeMergeRequest(app, project, { source_branch: 'topic', ...columns });
const path = ({ iid }: MergeRequest) => `/projects/${project.id}/merge_requests/${iid}`;
const rebase = (row: MergeRequest, by?: TestUser, json: object = {}) =>
  app.put(`${path(row)}/rebase`, { json, ...(by === undefined ? {} : { token: by.token }) });
const tip = (branch: string, of = git) => of.run(['rev-parse', `refs/heads/${branch}`]);
const log = (range: string, of = git) => of.run(['log', '--format=%s|%an|%ae|%at|%cn', range]).split('\n');

describe('PUT rebase', () => {
  test('puts the commits one by one on top of the target branch and keeps their authors', async () => {
    const before = log('main..topic');
    const target = git.commit('main', { c: '1' });
    const row = await open();
    assert.deepEqual(expectStatus(await rebase(row), 202), { rebase_in_progress: true });
    await app.drain();
    const now = await reloadMergeRequest(app, row);
    assert.deepEqual([now.rebase_started_at, now.merge_error, now.head_sha], [null, null, tip('topic')]);
    assert.equal(git.run(['merge-base', 'main', 'topic']), target);
    assert.deepEqual(
      log('main..topic'),
      before.map((line) => line.replace(/\|Bob$/, '|Administrator')),
    );
    assert.equal(git.run(['show', 'topic:b']), '2');
    assert.equal(git.run(['show', 'topic:c']), '1');
    assert.equal(git.run(['fsck', '--strict', '--no-dangling']), '');
    assert.notEqual(now.head_sha, row.head_sha);
    assert.equal(now.merge_status, 'can_be_merged');
  });

  test('leaves merges out, and what the target has already', async () => {
    git.commit('main', { c: '1' });
    const merge = git.merge('topic', [tip('topic'), tip('main')]);
    git.commit('topic', { d: '1' }, { message: 'Four\n' });
    const picked = git.commit('main', { b: '1' }, { message: 'Same as one\n' });
    const row = await open();
    expectStatus(await rebase(row), 202);
    await app.drain();
    assert.deepEqual(
      log('main..topic').map((line) => line.split('|')[0]),
      ['Four', 'Two'],
    );
    assert.equal(git.run(['merge-base', 'main', 'topic']), picked);
    assert.equal(git.run(['rev-list', 'topic']).includes(merge), false);
  });

  test('tells of a conflict and leaves the branch alone', async () => {
    git.commit('main', { b: 'other' });
    const row = await open();
    expectStatus(await rebase(row), 202);
    await app.drain();
    const now = await reloadMergeRequest(app, row);
    assert.deepEqual([now.rebase_started_at, now.head_sha], [null, row.head_sha]);
    assert.equal(now.merge_error, 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.');
    assert.equal(tip('topic'), row.head_sha);
  });

  test('of a branch that is up to date changes nothing', async () => {
    const row = await open();
    expectStatus(await rebase(row), 202);
    await app.drain();
    assert.equal(tip('topic'), row.head_sha);
    const pushes = await app.deps.db
      .selectFrom('domain_events')
      .select('id')
      .where('project_id', '=', project.id)
      .where('type', '=', 'push')
      .execute();
    assert.deepEqual(pushes, []);
  });

  test('skips pipelines where that is asked for', async () => {
    git.commit('main', { c: '1' });
    expectStatus(await rebase(await open(), undefined, { skip_ci: true }), 202);
    await app.drain();
    const event = await app.deps.db
      .selectFrom('domain_events')
      .select(['payload', 'actor_id'])
      .where('type', '=', 'push')
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(event.payload).push_options, ['ci.skip']);
    assert.equal(event.actor_id, 1);
  });

  test('runs once at a time, and only while it is open', async () => {
    const row = await open();
    expectStatus(await rebase(row), 202);
    assert.match(String(expectStatus(await rebase(row), 409).message), /^Failed to enqueue the rebase operation/);
    await app.drain();
    expectStatus(await rebase(row), 202);
    await app.drain();
    await app.deps.db.updateTable('merge_requests').set({ state: 'closed' }).where('id', '=', row.id).execute();
    expectStatus(await rebase(row), 405);
  });

  test('is for those who may force a push to the source branch', async () => {
    const people = await app.make.members(project);
    const row = await open();
    const refused = expectStatus(await rebase(row, people.reporter), 403);
    assert.equal(refused.message, '403 Forbidden - Cannot push to source branch');
    expectStatus(await rebase(row, people.guest), 404);
    expectStatus(await rebase(row, people.stranger), 404);
    expectStatus(await rebase(row, people.developer), 202);
    await app.drain();
    const protect = { name: 'topic', push_access_level: 40 };
    expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: protect }), 201);
    assert.equal(expectStatus(await rebase(row, people.developer), 403).message, refused.message);
    assert.equal(
      expectStatus(await rebase(row, people.maintainer), 403).message,
      '403 Forbidden - Source branch is protected from force push',
    );
    git.run(['update-ref', '-d', 'refs/heads/topic']);
    assert.equal(expectStatus(await rebase(row), 403).message, '403 Forbidden - Source branch does not exist');
  });

  test('of who has lost their rights meanwhile is not done', async () => {
    const { developer } = await app.make.members(project);
    git.commit('main', { c: '1' });
    const row = await open();
    expectStatus(await rebase(row, developer), 202);
    await app.deps.db.deleteFrom('members').where('user_id', '=', developer.user.id).execute();
    await app.drain();
    assert.equal(tip('topic'), row.head_sha);
    const { merge_error, rebase_started_at } = await reloadMergeRequest(app, row);
    assert.equal(rebase_started_at, null);
    assert.match(merge_error ?? '', /^Rebase failed: /);
  });
});

describe('a fork', () => {
  let author: TestUser;
  let forkGit: ProjectGit;
  let row: MergeRequest;
  beforeEach(async () => {
    author = await app.make.user();
    await app.deps.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute();
    const fork = await app.make.project({
      owner: author.user,
      visibility: 'public',
      columns: { forked_from_id: project.id, fork_root_id: project.id },
    });
    forkGit = new ProjectGit(app, fork);
    forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
    forkGit.commit('patch', { f: '1' }, { start: base });
    git.commit('main', { c: '1' });
    row = await makeMergeRequest(app, project, {
      source_branch: 'patch',
      source_project_id: fork.id,
      author_id: author.user.id,
    });
  });

  test('is rebased by its owner, with what the target has', async () => {
    expectStatus(await rebase(row, author), 202);
    await app.drain();
    assert.equal(forkGit.run(['rev-parse', 'patch~1']), tip('main'));
    assert.equal((await reloadMergeRequest(app, row)).head_sha, tip('patch', forkGit));
  });

  test('is rebased by those who may merge only where the author lets them', async () => {
    const { developer, reporter } = await app.make.members(project);
    expectStatus(await rebase(row, developer), 403);
    await app.deps.db.updateTable('merge_requests').set({ allow_collaboration: 1 }).where('id', '=', row.id).execute();
    expectStatus(await rebase(row, reporter), 403);
    expectStatus(await rebase(row, developer), 202);
    await app.drain();
    assert.equal(forkGit.run(['rev-parse', 'patch~1']), tip('main'));
  });
});

describe('GET merge_ref', () => {
  const mergeRef = (row: MergeRequest, token?: string | null) =>
    app.get(`${path(row)}/merge_ref`, token === undefined ? {} : { token });

  test('makes the commit that a merge would make, on a ref of its own, once', async () => {
    const target = git.commit('main', { c: '1' });
    const row = await open();
    const { commit_id } = expectStatus(await mergeRef(row), 200);
    assert.equal(git.run(['rev-parse', `refs/merge-requests/${row.iid}/merge`]), commit_id);
    assert.equal(git.run(['show', '-s', '--format=%P', String(commit_id)]), `${target} ${row.head_sha}`);
    assert.equal(tip('main'), target);
    assert.deepEqual(expectStatus(await mergeRef(row), 200), { commit_id });
    git.commit('main', { d: '1' });
    const next = expectStatus(await mergeRef(row), 200);
    assert.notEqual(next.commit_id, commit_id);
    assert.equal(git.run(['show', `${next.commit_id}:d`]), '1');
  });

  test('refuses conflicts and what is not open', async () => {
    git.commit('main', { b: 'other' });
    const row = await open();
    assert.equal(expectStatus(await mergeRef(row), 400).message, 'Merge request is not mergeable');
    await app.deps.db.updateTable('merge_requests').set({ state: 'closed' }).where('id', '=', row.id).execute();
    expectStatus(await mergeRef(row), 400);
  });

  test('is not made of what was closed, or got another target, while it waited for the repository', async () => {
    const { db } = app.deps;
    const set = (id: number, columns: Updateable<MergeRequestsTable>) =>
      db.updateTable('merge_requests').set(columns).where('id', '=', id).execute();
    const closed = await open();
    meanwhile(app, () => set(closed.id, { state: 'closed' }));
    assert.equal(expectStatus(await mergeRef(closed), 400).message, 'Merge request is not mergeable');
    const moved = await open();
    const other = git.commit('other-target', { other: '1' }, { start: tip('main') });
    meanwhile(app, () => set(moved.id, { target_branch: 'other-target' }));
    const { commit_id } = expectStatus(await mergeRef(moved), 200);
    assert.equal(git.run(['rev-parse', `${commit_id}^1`]), other);
  });

  test('is for those who may read merge requests', async () => {
    const row = await open();
    const people = await app.make.members(project);
    expectStatus(await mergeRef(row, people.reporter.token), 200);
    expectStatus(await mergeRef(row, people.guest.token), 404);
    expectStatus(await mergeRef(row, people.stranger.token), 404);
    expectStatus(await mergeRef(row, null), 404);
  });
});
