import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../test/support/app.ts';
import { cloneUrl, mustGit, runGitClient } from '../../../test/support/git-client.ts';
import { meanwhile } from '../../../test/support/meanwhile.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { finishMove, onDisk } from '../../../test/support/storage-moves.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { READ_ONLY } from '../read-only.ts';
import { runMove } from './storage-moves.run.ts';
import { scheduleMove } from './storage-moves.schedule.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
beforeEach(async () => {
  app = await buildTestApp({ clock });
  app.deps.alone = true;
});
afterEach(() => app.close());

const run = (id: number) => runMove(app.deps, id, { attempts: 1, signal: new AbortController().signal });
const refuses = (answer: Parameters<typeof expectStatus>[0]) =>
  assert.equal(expectStatus<Json>(answer, 400).message, READ_ONLY);

describe('while a snippet is moved', () => {
  let path: string;
  let id: number;
  beforeEach(async () => {
    const json = { title: 'Title', files: [{ file_path: 'a.txt', content: 'one\n' }] };
    ({ id } = expectStatus<{ id: number }>(await app.post('/snippets', { json }), 201));
    path = `/snippets/${id}`;
  });
  const schedule = () => scheduleMove(app.deps, 'snippet', id, 'second');
  const files = (content: string) => ({ files: [{ action: 'update', file_path: 'a.txt', content }] });
  const raw = async () => (await app.get(`${path}/files/main/a.txt/raw`)).body;
  const title = async () => expectStatus<Json>(await app.get(path), 200).title;

  test('its files are read, its title changes, and its files do not', async () => {
    const move = await schedule();
    refuses(await app.put(path, { json: { title: 'Both', ...files('two\n') } }));
    assert.deepEqual([await title(), await raw()], ['Title', 'one\n']);
    expectStatus(await app.put(path, { json: { title: 'Alone' } }), 200);
    assert.equal((await finishMove(app, clock, move)).state, 'finished');
    assert.deepEqual([await title(), await raw()], ['Alone', 'one\n']);
    expectStatus(await app.put(path, { json: { title: 'Both', ...files('two\n') } }), 200);
    assert.deepEqual([await title(), await raw()], ['Both', 'two\n']);
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 1]);
  });

  test('a push to it is refused in these words, and goes through afterwards', async () => {
    const work = join(app.deps.config.dataDir, 'work');
    const remote = cloneUrl(await app.listen(), `snippets/${id}`, ROOT_TOKEN);
    await mustGit(app.deps.config.dataDir, ['clone', '--quiet', remote, work]);
    await mustGit(work, ['commit', '--quiet', '--allow-empty', '-m', 'pushed']);
    const move = await schedule();
    const refused = await runGitClient(work, ['push', 'origin', 'HEAD:main']);
    assert.notEqual(refused.code, 0);
    assert.ok(refused.stderr.includes(READ_ONLY), refused.stderr);
    await finishMove(app, clock, move);
    await mustGit(work, ['push', 'origin', 'HEAD:main']);
    const [head] = (await mustGit(work, ['ls-remote', 'origin', 'refs/heads/main'])).split('\t');
    assert.equal(head, await mustGit(work, ['rev-parse', 'HEAD']));
  });

  test('an update that was begun before it, and whose turn comes after it, changes nothing', async () => {
    meanwhile(app, async () => run((await schedule()).id));
    refuses(await app.put(path, { json: { title: 'Late', ...files('late\n') } }));
    assert.deepEqual([await title(), await raw()], ['Title', 'one\n']);
    expectStatus(await app.put(path, { json: files('two\n') }), 200);
    assert.equal(await raw(), 'two\n');
  });

  test('it is removed with the move and its copy', async () => {
    const move = await schedule();
    expectStatus(await app.delete(path), 204);
    await app.drain();
    clock.advance(700_000);
    await app.drain();
    assert.deepEqual([onDisk(app, 'default'), onDisk(app, 'second')], [[], []]);
    const left = app.deps.db.selectFrom('repository_storage_moves').select('id').where('id', '=', move.id);
    assert.deepEqual(await left.execute(), []);
  });
});

describe('while a project is moved', () => {
  let project: Project;
  let git: ProjectGit;
  beforeEach(async () => {
    project = await app.make.project();
    git = new ProjectGit(app, project);
    const base = git.commit('main', { a: '1' });
    git.commit('topic', { b: '1' }, { start: base });
    git.commit('main', { c: '1' });
  });
  const schedule = ({ id }: Pick<Project, 'id'> = project) => scheduleMove(app.deps, 'project', id, 'second');
  const nowAt = async ({ id }: Pick<Project, 'id'> = project) =>
    new ProjectGit(
      app,
      await app.deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
  const open = () => makeMergeRequest(app, project, { source_branch: 'topic' });
  const at = ({ iid }: { iid: number }) => `/projects/${project.id}/merge_requests/${iid}`;
  /** The jobs of the move wait, all others run. */
  async function settleOthers(): Promise<void> {
    const moves = app.deps.db.updateTable('jobs').where('kind', 'like', 'storage_move%');
    await moves.set({ run_at: '2030-01-01T00:00:00.000Z' }).execute();
    await app.deps.jobs.drain();
    await moves.set({ run_at: clock.now().toISOString() }).execute();
  }

  test('a rebase that is asked for is made when the move is over', async () => {
    const row = await open();
    const move = await schedule();
    expectStatus(await app.put(`${at(row)}/rebase`), 202);
    await settleOthers();
    const waiting = await reloadMergeRequest(app, row);
    assert.deepEqual([waiting.head_sha, waiting.merge_error], [row.head_sha, null]);
    assert.notEqual(waiting.rebase_started_at, null);
    assert.equal((await finishMove(app, clock, move)).state, 'finished');
    const done = await reloadMergeRequest(app, row);
    const moved = await nowAt();
    assert.deepEqual([done.rebase_started_at, done.merge_error], [null, null]);
    assert.notEqual(done.head_sha, row.head_sha);
    assert.equal(moved.run(['rev-parse', 'topic']), done.head_sha);
    assert.equal(moved.run(['merge-base', 'main', 'topic']), moved.run(['rev-parse', 'main']));
    moved.run(['fsck', '--strict']);
  });

  test('a rebase that had begun before it is made at the new place', async () => {
    const row = await open();
    expectStatus(await app.put(`${at(row)}/rebase`), 202);
    let move = 0;
    meanwhile(app, async () => {
      ({ id: move } = await schedule());
      await run(move);
    });
    await app.deps.jobs.drain();
    assert.equal((await finishMove(app, clock, { id: move })).state, 'finished');
    const done = await reloadMergeRequest(app, row);
    assert.deepEqual([done.rebase_started_at, done.merge_error], [null, null]);
    const moved = await nowAt();
    assert.equal(moved.run(['rev-parse', 'topic']), done.head_sha);
    assert.equal(moved.run(['merge-base', 'main', 'topic']), moved.run(['rev-parse', 'main']));
  });

  test('a merge is refused in the stated words and leaves the merge request open and unlocked', async () => {
    const row = await open();
    const move = await schedule();
    refuses(await app.put(`${at(row)}/merge`));
    const refused = await reloadMergeRequest(app, row);
    assert.deepEqual([refused.state, refused.locked_at, refused.merge_error], ['opened', null, null]);
    await finishMove(app, clock, move);
    expectStatus(await app.put(`${at(row)}/merge`), 200);
  });

  test('a merge whose turn comes after it is refused, and made when it is asked for again', async () => {
    const row = await open();
    const before = git.run(['rev-parse', 'main']);
    meanwhile(app, async () => run((await schedule()).id));
    refuses(await app.put(`${at(row)}/merge`));
    const refused = await reloadMergeRequest(app, row);
    assert.deepEqual([refused.state, refused.locked_at, refused.merge_error], ['opened', null, null]);
    assert.equal((await nowAt()).run(['rev-parse', 'main']), before);
    expectStatus(await app.put(`${at(row)}/merge`), 200);
    const { merge_commit_sha } = await reloadMergeRequest(app, row);
    assert.equal((await nowAt()).run(['rev-parse', 'main']), merge_commit_sha);
  });

  for (const when of ['before', 'while'] as const) {
    test(`an automatic merge whose turn comes ${when} it is moved waits for its end`, async () => {
      const row = await open();
      const rule = { only_allow_merge_if_all_discussions_are_resolved: true };
      expectStatus(await app.put(`/projects/${project.id}`, { json: rule }), 200);
      const json = { body: 'really?' };
      const thread = expectStatus<{ id: string }>(await app.post(`${at(row)}/discussions`, { json }), 201);
      const merge = { auto_merge: true, squash: true, squash_commit_message: 'All of it' };
      expectStatus(await app.put(`${at(row)}/merge`, { json: merge }), 200);
      await settleOthers();
      let move = when === 'while' ? (await schedule()).id : 0;
      expectStatus(await app.put(`${at(row)}/discussions/${thread.id}`, { json: { resolved: true } }), 200);
      if (when === 'before') {
        meanwhile(app, async () => {
          move = (await schedule()).id;
        });
      }
      await settleOthers();
      const waiting = await reloadMergeRequest(app, row);
      assert.deepEqual([waiting.state, waiting.auto_merge, waiting.merge_user_id], ['opened', 1, 1]);
      if (when === 'while') refuses(await app.put(`${at(row)}/merge`));
      await finishMove(app, clock, { id: move });
      const merged = await reloadMergeRequest(app, row);
      assert.equal(merged.state, 'merged');
      const moved = await nowAt();
      assert.equal(moved.run(['rev-parse', 'main']), merged.merge_commit_sha);
      assert.equal(moved.run(['log', '-1', '--format=%s', merged.squash_commit_sha!]), 'All of it');
    });
  }

  test('a merge request is opened, and knows its head afterwards', async () => {
    const move = await schedule();
    const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    const made = expectStatus<{ iid: number }>(await app.post(`/projects/${project.id}/merge_requests`, { json }), 201);
    await finishMove(app, clock, move);
    const moved = await nowAt();
    assert.equal(moved.run(['rev-parse', `refs/merge-requests/${made.iid}/head`]), moved.run(['rev-parse', 'topic']));
    expectStatus(await app.put(`${at(made)}/merge`), 200);
  });

  test('from which a merge request comes, that is merged, and its source branch goes afterwards', async () => {
    const json = { path: 'fork', name: 'Fork' };
    const fork = expectStatus<{ id: number }>(await app.post(`/projects/${project.id}/fork`, { json }), 201);
    await app.drain();
    const row = await makeMergeRequest(app, project, { source_branch: 'topic', source_project_id: fork.id });
    const move = await schedule(fork);
    expectStatus(await app.put(`${at(row)}/merge`, { json: { should_remove_source_branch: true } }), 200);
    await settleOthers();
    assert.notEqual((await nowAt(fork)).run(['for-each-ref', 'refs/heads/topic']), '');
    await finishMove(app, clock, move);
    assert.equal((await nowAt(fork)).run(['for-each-ref', 'refs/heads/topic']), '');
  });
});
