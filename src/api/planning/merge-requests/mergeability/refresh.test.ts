import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../../../../../test/support/app.ts';
import { cloneUrl, mustGit } from '../../../../../test/support/git-client.ts';
import { writeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { followPush } from '../head/follow-push.ts';
import { latestVersion } from '../lifecycle/merge-requests.version.ts';
import { refreshMergeRequest } from './refresh.ts';

const AS = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];

let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
});
after(() => app.close());

const rowOf = (id: number) =>
  app.deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** A row as creation leaves it. */
async function insert(project: Project, head_sha: string, source_branch = 'topic', source = project): Promise<number> {
  const columns = { source_project_id: source.id, source_branch, head_sha };
  return (await writeMergeRequest(app, project, columns)).id;
}

async function seeded(t: { after(fn: () => void): void }) {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n' });
  git.commit('topic', { 'b.txt': 'two\n' }, { start: base });
  const head = git.commit('topic', { 'b.txt': 'three\n' });
  const dir = mkdtempSync(join(tmpdir(), 'stithy-mr-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await mustGit(dir, ['clone', '--quiet', cloneUrl(url, project.full_path, ROOT_TOKEN), 'work']);
  return { project, git, base, head, dir: join(dir, 'work') };
}

test('a refresh makes the version and a head that git can fetch; a second one changes nothing', async (t) => {
  const { project, base, head, dir } = await seeded(t);
  const id = await insert(project, head);
  const row = await refreshMergeRequest(app.deps, id);
  const version = await latestVersion(app.deps.db, row);
  assert.deepEqual(
    { ...version, id: 0, created_at: '', patch_id_sha: version?.patch_id_sha?.length },
    {
      id: 0,
      merge_request_id: id,
      head_commit_sha: head,
      base_commit_sha: base,
      start_commit_sha: base,
      state: 'collected',
      real_size: '1',
      commits_count: 2,
      patch_id_sha: 40,
      created_at: '',
    },
  );
  const commits = await app.deps.db.selectFrom('merge_request_commits').selectAll().orderBy('position').execute();
  assert.deepEqual(commits.filter(({ merge_request_id }) => merge_request_id === id).map(({ sha }) => sha)[0], head);
  await mustGit(dir, ['fetch', '--quiet', 'origin', `refs/merge-requests/${row.iid}/head`]);
  assert.equal(await mustGit(dir, ['rev-parse', 'FETCH_HEAD']), head);
  const again = await refreshMergeRequest(app.deps, id);
  assert.equal(again.latest_diff_id, row.latest_diff_id);
});

test('a push of the source branch is a new head at once, and a new version after it', async (t) => {
  const { project, head, dir } = await seeded(t);
  const id = await insert(project, head);
  const first = await refreshMergeRequest(app.deps, id);
  await app.deps.db.updateTable('merge_requests').set({ merge_status: 'can_be_merged' }).where('id', '=', id).execute();
  await mustGit(dir, ['checkout', '--quiet', 'topic']);
  await mustGit(dir, ['commit', '--quiet', '--allow-empty', '--message', 'with <b>markup</b>']);
  await mustGit(dir, ['push', '--quiet', 'origin', 'topic']);
  const pushed = await mustGit(dir, ['rev-parse', 'HEAD']);
  const row = await rowOf(id);
  assert.deepEqual(
    [row.head_sha, row.merge_status, row.approvals_syncing, row.latest_diff_id],
    [pushed, 'unchecked', 1, first.latest_diff_id],
  );
  const note = await app.deps.db
    .selectFrom('notes')
    .selectAll()
    .where('noteable_id', '=', id)
    .executeTakeFirstOrThrow();
  assert.equal(note.note, `added 1 commit\n\n<ul><li>${pushed.slice(0, 8)} - with &lt;b&gt;markup&lt;/b&gt;</li></ul>`);
  await app.drain();
  const settled = await rowOf(id);
  assert.equal(settled.approvals_syncing, 0);
  assert.notEqual(settled.latest_diff_id, first.latest_diff_id);
  assert.equal((await latestVersion(app.deps.db, settled))?.commits_count, 3);
});

test('a forced push keeps what it replaced, and the same change keeps its patch id', async (t) => {
  const { project, head, dir } = await seeded(t);
  const id = await insert(project, head);
  const before = await latestVersion(app.deps.db, await refreshMergeRequest(app.deps, id));
  await mustGit(dir, ['checkout', '--quiet', 'topic']);
  await mustGit(dir, ['commit', '--quiet', '--amend', '--message', 'said better']);
  await mustGit(dir, ['push', '--quiet', '--force', 'origin', 'topic']);
  await app.drain();
  const version = await latestVersion(app.deps.db, await rowOf(id));
  assert.notEqual(version?.head_commit_sha, head);
  assert.equal(version?.patch_id_sha, before?.patch_id_sha);
  assert.equal(new ProjectGit(app, project).run(['rev-parse', `refs/keep-around/${head}`]), head);
});

test('a target branch that contains the head has merged it; what it had before it has not', async (t) => {
  const { project, base, head, dir } = await seeded(t);
  const id = await insert(project, head);
  new ProjectGit(app, project).run(['update-ref', 'refs/heads/empty', base]);
  const empty = await insert(project, base, 'empty');
  await refreshMergeRequest(app.deps, id);
  await mustGit(dir, ['merge', '--quiet', '--no-ff', '-m', 'by hand', 'origin/topic']);
  await mustGit(dir, ['push', '--quiet', 'origin', 'HEAD:main']);
  await app.drain();
  const row = await rowOf(id);
  assert.deepEqual(
    [row.state, row.merge_commit_sha, row.merge_user_id],
    ['merged', await mustGit(dir, ['rev-parse', 'HEAD']), 1],
  );
  assert.equal((await rowOf(empty)).state, 'opened');
  const events = await app.deps.db
    .selectFrom('domain_events')
    .select('payload')
    .where('type', '=', 'merge_request.merged')
    .execute();
  assert.equal(events.filter(({ payload }) => JSON.parse(payload).merge_request_id === id).length, 1);
});

test('the objects of a fork come over with the head alone', async (t) => {
  const { project, base } = await seeded(t);
  const fork = await app.make.project();
  const git = new ProjectGit(app, fork);
  const target = new ProjectGit(app, project);
  git.run(['fetch', '--quiet', target.dir, 'refs/heads/main:refs/heads/main']);
  const head = git.commit('change', { 'c.txt': 'from afar\n' }, { start: base });
  const secret = git.commit('secret', { 's.txt': 'hidden\n' }, { start: base });
  const id = await insert(project, head, 'change', fork);
  const row = await refreshMergeRequest(app.deps, id);
  assert.equal(target.run(['rev-parse', `refs/merge-requests/${row.iid}/head`]), head);
  assert.throws(() => target.run(['cat-file', '-e', secret]));
});

test('a push that is recorded after a later one does not set the head back', async (t) => {
  const { project, head, dir } = await seeded(t);
  const id = await insert(project, head);
  await mustGit(dir, ['switch', '--quiet', 'topic']);
  await mustGit(dir, [...AS, 'commit', '--quiet', '--allow-empty', '-m', 'First']);
  const first = await mustGit(dir, ['rev-parse', 'HEAD']);
  await mustGit(dir, [...AS, 'commit', '--quiet', '--allow-empty', '-m', 'Second']);
  await mustGit(dir, ['push', '--quiet', 'origin', 'topic']);
  const second = await mustGit(dir, ['rev-parse', 'HEAD']);
  assert.equal((await rowOf(id)).head_sha, second);
  const late = await followPush(app.deps)(repositoryOf(app.deps, project), {
    holder: ofProject(project),
    userId: 1,
    updates: [{ ref: 'refs/heads/topic', old: head, new: first }],
    wasEmpty: false,
    via: 'git',
    pushOptions: [],
  });
  await app.deps.db.transaction().execute(async (db) => late?.(db));
  assert.equal((await rowOf(id)).head_sha, second);
});
