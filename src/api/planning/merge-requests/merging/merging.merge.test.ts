import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Updateable } from 'kysely';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest, MergeRequestsTable } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { protectDefaultBranch } from '../../../../repositories/default-branch.ts';
import { changedSettings, type ProjectSettings } from '../../../spaces/projects/projects.settings.ts';

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
  git.commit('topic', { 'b.txt': 'b\n' }, { start: base, message: 'Add b\n' });
  head = git.commit('topic', { 'c.txt': 'c\n' }, { message: 'Add c\n\nBecause.\n' });
});

const open = (columns: Partial<MergeRequest> = {}) =>
  makeMergeRequest(app, project, { source_branch: 'topic', ...columns });
const path = ({ iid }: MergeRequest) => `/projects/${project.id}/merge_requests/${iid}`;
const merge = (row: MergeRequest, json: object = {}, token?: string) =>
  app.put(`${path(row)}/merge`, { json, ...(token === undefined ? {} : { token }) });
const tip = (branch: string) => git.run(['rev-parse', `refs/heads/${branch}`]);
const shown = (format: string, commit: string) => git.run(['show', '-s', `--format=${format}`, commit]);
const configure = async (changes: Partial<ProjectSettings>) => {
  const settings = changedSettings(project, changes);
  await app.deps.db.updateTable('projects').set({ settings }).where('id', '=', project.id).execute();
};
const set = async ({ id }: MergeRequest, columns: Updateable<MergeRequestsTable>) => {
  await app.deps.db.updateTable('merge_requests').set(columns).where('id', '=', id).execute();
};
const eventsOf = async (row: MergeRequest) =>
  (
    await app.deps.db
      .selectFrom('domain_events')
      .select(['type', 'actor_id', 'payload'])
      .where('project_id', '=', row.project_id)
      .where('type', 'in', ['push', 'merge_request.merged'])
      .orderBy('id')
      .execute()
  ).map(({ type }) => type);
const notesOf = async ({ id }: MergeRequest) =>
  (
    await app.deps.db
      .selectFrom('notes')
      .select('note')
      .where('noteable_type', '=', 'MergeRequest')
      .where('noteable_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(({ note }) => note);

describe('PUT merge', () => {
  test('makes a merge commit of exactly the head and answers with the merged merge request', async () => {
    git.commit('main', { 'd.txt': 'd\n' });
    const before = tip('main');
    const row = await open({ title: 'Add letters' });
    const body = expectStatus(await merge(row), 200);
    const commit = tip('main');
    assert.deepEqual(
      [body.state, body.merge_commit_sha, body.squash_commit_sha, body.sha],
      ['merged', commit, null, head],
    );
    assert.equal((body.merge_user as { id: number }).id, 1);
    assert.equal(body.detailed_merge_status, 'not_open');
    assert.equal(shown('%P', commit), `${before} ${head}`);
    assert.equal(
      shown('%B', commit).trim(),
      `Merge branch 'topic' into 'main'\n\nAdd letters\n\nSee merge request ${project.full_path}!${row.iid}`,
    );
    assert.equal(shown('%an %cn', commit), 'Administrator Administrator');
    assert.equal(git.run(['ls-tree', '--name-only', 'main']), 'a.txt\nb.txt\nc.txt\nd.txt');
    assert.deepEqual(await eventsOf(row), ['push', 'merge_request.merged']);
    assert.deepEqual(await notesOf(row), ['merged']);
    assert.equal(git.run(['fsck', '--strict', '--no-dangling']), '');
    const locks = await app.deps.db.selectFrom('jobs').select('id').where('kind', '=', 'merging.unlock').execute();
    assert.deepEqual(locks, []);
  });

  test('a second merge is refused and changes nothing', async () => {
    const row = await open();
    expectStatus(await merge(row), 200);
    const commit = tip('main');
    assert.equal(expectStatus(await merge(row), 405).message, '405 Method Not Allowed');
    assert.equal(tip('main'), commit);
  });

  test('takes messages of any length from the body', async () => {
    const row = await open();
    const merge_commit_message = `Title\n\n${'long line\n'.repeat(2_000)}`;
    const squash_commit_message = `Squashed\n\n${'x'.repeat(20_000)}`;
    const body = expectStatus(await merge(row, { merge_commit_message, squash_commit_message, squash: true }), 200);
    assert.equal(shown('%B', String(body.merge_commit_sha)).trim(), merge_commit_message.trim());
    assert.equal(shown('%B', String(body.squash_commit_sha)).trim(), squash_commit_message);
    assert.equal(shown('%P', String(body.merge_commit_sha)), `${base} ${body.squash_commit_sha}`);
  });

  test('compares `sha` with the head', async () => {
    const row = await open();
    const refused = expectStatus(await merge(row, { sha: base }), 409);
    assert.equal(refused.message, `SHA does not match HEAD of source branch: ${head}`);
    expectStatus(await merge(row, { sha: head }), 200);
  });

  test('is refused by state with 405 and by the branches with 422', async () => {
    const row = await open();
    for (const columns of [
      { state: 'closed' },
      { state: 'locked' },
      { draft: 1 },
      { merge_after: '2999-01-01T00:00:00.000Z' },
    ] as const) {
      await set(row, { state: 'opened', draft: 0, merge_after: null, ...columns });
      assert.equal(expectStatus(await merge(row), 405).message, '405 Method Not Allowed');
    }
    await set(row, { merge_after: null });
    git.commit('main', { 'b.txt': 'other\n' });
    await set(row, { merge_status: 'unchecked' });
    assert.equal(expectStatus(await merge(row), 422).message, 'Branch cannot be merged');
    assert.equal((await reloadMergeRequest(app, row)).state, 'opened');
  });

  test('finds a conflict that nobody has told it of, and opens the merge request again', async () => {
    const row = await open();
    git.commit('main', { 'b.txt': 'other\n' });
    const before = tip('main');
    assert.equal(expectStatus(await merge(row), 422).message, 'Branch cannot be merged');
    const after = await reloadMergeRequest(app, row);
    assert.deepEqual(
      [after.state, after.locked_at, after.merge_user_id, after.merge_params],
      ['opened', null, null, '{}'],
    );
    assert.match(after.merge_error ?? '', /can no longer be merged/);
    assert.equal(tip('main'), before);
  });

  test('of a target that has the head already is refused', async () => {
    const row = await open();
    git.run(['update-ref', 'refs/heads/main', head]);
    expectStatus(await merge(row), 422);
  });

  test('is for those who may merge into the target branch', async () => {
    await protectDefaultBranch(app.deps, app.deps.db, project.id, 'main');
    const people = await app.make.members(project);
    const row = await open();
    for (const name of ['reporter', 'developer'] as const) {
      assert.equal(expectStatus(await merge(row, {}, people[name].token), 401).message, '401 Unauthorized');
    }
    for (const name of ['guest', 'stranger'] as const) expectStatus(await merge(row, {}, people[name].token), 404);
    assert.equal((await app.put(`${path(row)}/merge`, { token: null })).statusCode, 401);
    const reader = await app.make.token(people.maintainer.user.id, ['read_api']);
    expectStatus(await merge(row, {}, reader), 403);
    const body = expectStatus(await merge(row, {}, people.maintainer.token), 200);
    assert.equal((body.merge_user as { id: number }).id, people.maintainer.user.id);
    assert.equal(shown('%an', tip('main')), people.maintainer.user.name);
  });

  test('into an unprotected branch is for Developers', async () => {
    const { developer } = await app.make.members(project);
    expectStatus(await merge(await open(), {}, developer.token), 200);
  });

  test('into an archived project is for nobody', async () => {
    const row = await open();
    await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
    expectStatus(await merge(row), 401);
  });

  test('of a number that is not there is 404', async () => {
    expectStatus(await app.put(`/projects/${project.id}/merge_requests/999/merge`), 404);
  });
});

describe('squashing', () => {
  test('makes one commit by the author of the merge request where it stands on its base', async () => {
    const author = await app.make.user();
    git.commit('main', { 'd.txt': 'd\n' });
    const row = await open({ author_id: author.user.id, title: 'Add letters', squash: 1 });
    const body = expectStatus(await merge(row), 200);
    const commit = String(body.squash_commit_sha);
    assert.equal(shown('%P', commit), base);
    assert.equal(shown('%an|%cn|%s', commit), `${author.user.name}|Administrator|Add letters`);
    assert.equal(git.run(['rev-parse', `${commit}^{tree}`]), git.run(['rev-parse', `${head}^{tree}`]));
    assert.equal(shown('%P', String(body.merge_commit_sha)).split(' ')[1], commit);
    assert.equal(body.sha, head);
  });

  test('goes by the project where that says always or never', async () => {
    await configure({ squash_option: 'always' });
    const body = expectStatus(await merge(await open(), { squash: false }), 200);
    assert.notEqual(body.squash_commit_sha, null);
    await configure({ squash_option: 'never' });
    git.commit('next', { 'n.txt': 'n\n' }, { start: tip('main') });
    git.commit('next', { 'm.txt': 'm\n' });
    const next = await makeMergeRequest(app, project, { source_branch: 'next', squash: 1 });
    assert.equal(expectStatus(await merge(next, { squash: true }), 200).squash_commit_sha, null);
  });

  test('keeps a single commit that says the same already', async () => {
    git.commit('one', { 'one.txt': '1\n' }, { start: base, message: 'Just one\n' });
    const row = await makeMergeRequest(app, project, { source_branch: 'one', title: 'Just one', squash: 1 });
    const body = expectStatus(await merge(row), 200);
    assert.equal(body.squash_commit_sha, row.head_sha);
    assert.equal(shown('%P', tip('main')).split(' ')[1], row.head_sha);
  });
});

describe('merge methods', () => {
  test('fast-forward moves the branch to the head, without a merge commit', async () => {
    await configure({ merge_method: 'ff' });
    const body = expectStatus(await merge(await open()), 200);
    assert.deepEqual([tip('main'), body.merge_commit_sha], [head, null]);
  });

  test('fast-forward with squash moves it to the one commit', async () => {
    await configure({ merge_method: 'ff' });
    const body = expectStatus(await merge(await open(), { squash: true }), 200);
    assert.deepEqual([tip('main'), body.merge_commit_sha], [body.squash_commit_sha, null]);
    assert.equal(shown('%P', tip('main')), base);
  });

  test('a semi-linear merge makes a merge commit on top of the target only', async () => {
    await configure({ merge_method: 'rebase_merge' });
    const body = expectStatus(await merge(await open()), 200);
    assert.equal(shown('%P', tip('main')), `${base} ${head}`);
    assert.equal(body.merge_commit_sha, tip('main'));
  });

  test('fast-forward and semi-linear merges refuse branches that have gone apart', async () => {
    git.commit('main', { 'd.txt': 'd\n' });
    const row = await open();
    for (const merge_method of ['ff', 'rebase_merge'] as const) {
      await configure({ merge_method });
      assert.equal(expectStatus(await merge(row), 422).message, 'Branch cannot be merged');
    }
  });
});
