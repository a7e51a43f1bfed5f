import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../test/support/app.ts';
import { cloneUrl, runGitClient } from '../../../test/support/git-client.ts';
import { meanwhile } from '../../../test/support/meanwhile.ts';
import { makeMergeRequest } from '../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { finishMove, moveNow, onDisk, whileCopying } from '../../../test/support/storage-moves.ts';
import { commitToWiki, page } from '../../../test/support/wikis.ts';
import { withoutFileRemoval } from '../../db/backup-lease.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { StorageMove } from '../../db/tables/storage-moves.table.ts';
import { inRepositoryQueue, repositoryOf } from '../change-refs.ts';
import { ofProject } from '../holder.ts';
import { READ_ONLY, RepositoryReadOnly } from '../read-only.ts';
import { ensureWiki } from '../repository.wikis.ts';
import { withoutIntent } from '../server-writes.ts';
import { moveAll } from './bulk.ts';
import { cleanUp } from './clean-up.ts';
import { resumeMoves } from './storage-moves.background.ts';
import { runMove } from './storage-moves.run.ts';
import { scheduleMove } from './storage-moves.schedule.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
beforeEach(async () => {
  app = await buildTestApp({ clock });
  app.deps.alone = true;
  project = await app.make.project();
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\n' });
});
afterEach(() => app.close());

const now = (id = project.id): Promise<Project> =>
  app.deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const dirOf = (row: Pick<Project, 'repository_storage' | 'disk_path'>): string =>
  app.deps.storages.dirOf({ storage: row.repository_storage, diskPath: row.disk_path });
const refsOf = async (): Promise<string> => new ProjectGit(app, await now()).run(['for-each-ref']);
const schedule = (destination = 'second') => scheduleMove(app.deps, 'project', project.id, destination);
const run = (id: number, signal = new AbortController().signal) => runMove(app.deps, id, { attempts: 1, signal });
const comesAgain = { name: 'RetryLater' };
const clean = (id: number, attempts = 1) => cleanUp(app.deps, id, { attempts });

const finish = (move: StorageMove): Promise<StorageMove> => finishMove(app, clock, move);

describe('a move', () => {
  test('takes all along: refs that nobody sees, HEAD, and objects that no ref reaches', async () => {
    const lost = git.run(['hash-object', '-w', '--stdin'], 'unreachable');
    git.run(['update-ref', 'refs/keep-around/x', git.run(['rev-parse', 'main'])]);
    git.run(['symbolic-ref', 'HEAD', 'refs/heads/other']);
    git.run(['pack-refs', '--all']);
    git.commit('topic', { 'b.txt': 'two\n' });
    const [refs, objects] = [git.run(['for-each-ref']), git.run(['cat-file', '--batch-check', '--batch-all-objects'])];
    const move = await schedule();
    assert.equal((await now()).repository_read_only, 1);
    assert.equal((await finish(move)).state, 'finished');
    const row = await now();
    assert.deepEqual([row.repository_storage, row.repository_read_only], ['second', 0]);
    assert.notEqual(row.disk_path, project.disk_path);
    const moved = new ProjectGit(app, row);
    assert.equal(moved.run(['for-each-ref']), refs);
    assert.equal(moved.run(['cat-file', '--batch-check', '--batch-all-objects']), objects);
    assert.equal(moved.run(['cat-file', 'blob', lost]), 'unreachable');
    assert.equal(readFileSync(join(moved.dir, 'HEAD'), 'utf8'), 'ref: refs/heads/other\n');
    moved.run(['fsck', '--strict']);
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 1]);
    const shown = await app.get(`/projects/${project.id}/repository/branches/topic`);
    assert.equal(expectStatus(shown, 200).name, 'topic');
    expectStatus(
      await app.post(`/projects/${project.id}/repository/branches`, { json: { branch: 'x', ref: 'main' } }),
      201,
    );
  });

  test('of a project takes its wiki along, and is refused while either is busy', async () => {
    const { wiki } = await commitToWiki(app, { type: 'project', id: project.id }, [page('home.md')]);
    await app.deps.db.updateTable('wikis').set({ repository_read_only: 1 }).execute();
    await assert.rejects(schedule(), { message: 'project is read-only' });
    await app.deps.db.updateTable('wikis').set({ repository_read_only: 0 }).execute();
    const move = await schedule();
    await assert.rejects(commitToWiki(app, { type: 'project', id: project.id }, [page('b.md')]), {
      message: READ_ONLY,
    });
    assert.equal((await finish(move)).state, 'finished');
    const moved = await ensureWiki(app.deps, { type: 'project', id: project.id });
    assert.deepEqual([moved.id, moved.repository_storage, moved.repository_read_only], [wiki.id, 'second', 0]);
    await commitToWiki(app, { type: 'project', id: project.id }, [page('b.md')]);
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 2]);
  });

  test('of a group takes its wiki, which it makes where there is none', async () => {
    const group = await app.make.group();
    const move = await scheduleMove(app.deps, 'group', group.id, 'second');
    assert.equal((await finish(move)).state, 'finished');
    const wiki = await ensureWiki(app.deps, { type: 'group', id: group.id });
    assert.equal(wiki.repository_storage, 'second');
    await commitToWiki(app, { type: 'group', id: group.id }, [page('home.md')]);
    assert.equal((await now()).repository_storage, 'default');
  });
});

describe('while a repository is moved', () => {
  test('every way into it says that it is read-only', async () => {
    const path = `/projects/${project.id}`;
    const topic = git.commit('topic', { 'b.txt': 'two\n' }, { start: git.run(['rev-parse', 'main']) });
    const mergeRequest = await makeMergeRequest(app, project, { source_branch: 'topic' });
    const move = await schedule();
    const json = { branch: 'main', commit_message: 'x', content: 'x' };
    const actions = [{ action: 'create', file_path: 'x', content: 'x' }];
    const refused = [
      await app.post(`${path}/repository/files/x`, { json }),
      await app.put(`${path}/repository/files/a.txt`, { json }),
      await app.delete(`${path}/repository/files/a.txt`, { json }),
      await app.post(`${path}/repository/commits`, { json: { branch: 'main', commit_message: 'x', actions } }),
      await app.post(`${path}/repository/commits/${topic}/cherry_pick`, { json: { branch: 'main' } }),
      await app.post(`${path}/repository/commits/${topic}/revert`, { json: { branch: 'topic' } }),
      await app.post(`${path}/repository/branches`, { json: { branch: 'x', ref: 'main' } }),
      await app.delete(`${path}/repository/branches/topic`),
      await app.post(`${path}/repository/tags`, { json: { tag_name: 'v1', ref: 'main' } }),
      await app.post(`${path}/repository/changelog`, { json: { version: '1.0.0', from: topic } }),
      await app.put(`${path}/merge_requests/${mergeRequest.iid}/merge`),
      await app.put(path, { json: { default_branch: 'topic' } }),
    ];
    for (const answer of refused) assert.equal(expectStatus(answer, 400).message, READ_ONLY);
    await assert.rejects(
      withoutIntent(app.deps, ofProject(project), repositoryOf(app.deps, project), [], async () => {}),
      RepositoryReadOnly,
    );
    const read = await app.get(`${path}/repository/files/a.txt/raw`, { query: { ref: 'main' } });
    assert.deepEqual([read.statusCode, read.body], [200, 'one\n']);
    await finish(move);
    expectStatus(await app.put(`${path}/merge_requests/${mergeRequest.iid}/merge`), 200);
    expectStatus(await app.post(`${path}/repository/tags`, { json: { tag_name: 'v1', ref: 'main' } }), 201);
  });

  test('a push is refused whenever it comes, in these words', async () => {
    const work = join(app.deps.config.dataDir, 'work');
    const remote = cloneUrl(await app.listen(), project.full_path, ROOT_TOKEN);
    git.run(['clone', '--quiet', git.dir, work]);
    const push = async (ref: string) =>
      (await runGitClient(work, ['push', remote, `origin/main:refs/heads/${ref}`])).stderr;
    const words = /The repository is temporarily read-only\. Please try again later\./;
    meanwhile(app, () => schedule());
    assert.match(await push('late'), words);
    assert.match(await push('early'), words);
    await app.drain();
    // Between the two requests of a push git runs a hook.
    const hook = join(work, '.git/hooks/pre-push');
    writeFileSync(hook, '#!/bin/sh\ntouch begun\nwhile [ ! -e go ]; do sleep 0.05; done\n', { mode: 0o755 });
    const pushing = push('between');
    while (!existsSync(join(work, 'begun'))) await sleep(20);
    await schedule('default');
    writeFileSync(join(work, 'go'), '');
    assert.match(await pushing, words);
    await app.drain();
    assert.match(await push('then'), /new branch/);
    assert.deepEqual(
      (await refsOf()).split('\n').map((line) => line.split('\t')[1]),
      ['refs/heads/main', 'refs/heads/then'],
    );
  });

  test('a write that was begun at the old place, and whose turn comes when the move is over, is refused', async () => {
    meanwhile(app, async () => {
      await run((await schedule()).id);
    });
    const json = { branch: 'main', commit_message: 'x', content: 'x' };
    const late = await app.post(`/projects/${project.id}/repository/files/x`, { json });
    assert.equal(expectStatus(late, 400).message, READ_ONLY);
    assert.equal((await now()).repository_storage, 'second');
    expectStatus(await app.post(`/projects/${project.id}/repository/files/x`, { json }), 201);
  });

  test('background work comes again, which is no failure', async () => {
    await app.deps.jobs.enqueue(
      app.deps.db,
      { name: 'maintain-repository', lane: 'slow', maxAttempts: 20, timeoutMs: 1 },
      { project_id: project.id },
    );
    const move = await schedule();
    await app.deps.db
      .updateTable('jobs')
      .set({ run_at: '2030-01-01T00:00:00.000Z' })
      .where('kind', 'like', 'storage_move%')
      .execute();
    await app.deps.jobs.drain();
    const [upkeep] = await app.deps.db
      .selectFrom('jobs')
      .select(['attempts', 'state', 'last_error'])
      .where('kind', '=', 'maintain-repository')
      .execute();
    assert.deepEqual([upkeep?.attempts, upkeep?.state, upkeep?.last_error], [0, 'waiting', null]);
    assert.equal((await moveNow(app, move)).state, 'scheduled');
  });

  test('a write of its own that has begun is waited for', async () => {
    const repo = repositoryOf(app.deps, project);
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const oid = git.run(['rev-parse', 'main']);
    const write = withoutIntent(app.deps, ofProject(project), repo, [], async () => {
      begin();
      await promise;
      await repo.refs.transaction([{ ref: 'refs/keep-around/late', old: null, new: oid }]);
    });
    await begun;
    const moving = schedule().then(finish);
    setTimeout(resolve, 100);
    await write;
    assert.equal((await moving).state, 'finished');
    assert.match(await refsOf(), /refs\/keep-around\/late/);
  });

  test('writes that were announced are waited for', async () => {
    const move = await schedule();
    const intent = {
      project_id: project.id,
      snippet_id: null,
      wiki_id: null,
      user_id: 1,
      updates: '[]',
      context: '{}',
    };
    await app.deps.db
      .insertInto('ref_intents')
      .values({ ...intent, created_at: '2026-01-01T00:00:00.000Z', process_id: app.deps.processes.id })
      .execute();
    await assert.rejects(run(move.id), comesAgain);
    const { repository_storage, repository_read_only } = await now();
    assert.deepEqual([(await moveNow(app, move)).state, repository_storage], ['scheduled', 'default']);
    // Meanwhile it takes writes, and no second move.
    assert.equal(repository_read_only, 0);
    await assert.rejects(schedule(), { message: 'project is read-only' });
    await app.deps.db.deleteFrom('ref_intents').execute();
    assert.equal((await finish(move)).state, 'finished');
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 1]);
  });
});

describe('what was moved away', () => {
  test('stays while requests that began before the switch are under way', async () => {
    const end = app.deps.inFlight.begin();
    const move = await schedule();
    await run(move.id);
    await assert.rejects(clean(move.id), comesAgain);
    assert.deepEqual([(await moveNow(app, move)).state, existsSync(dirOf(project))], ['replicated', true]);
    assert.equal((await now()).repository_read_only, 0);
    app.deps.inFlight.begin();
    end();
    await clean(move.id);
    assert.deepEqual([(await moveNow(app, move)).state, existsSync(dirOf(project))], ['finished', false]);
  });

  test('stays while a backup is made', async () => {
    const move = await schedule();
    await run(move.id);
    await withoutFileRemoval(app.deps.db, clock, async () => {
      await assert.rejects(clean(move.id), comesAgain);
      assert.equal(existsSync(dirOf(project)), true);
    });
    await clean(move.id);
    assert.equal(existsSync(dirOf(project)), false);
  });

  test('that cannot be removed is told of, and goes later', async () => {
    const move = await schedule();
    await run(move.id);
    const { dirOf: real } = app.deps.storages;
    app.deps.storages.dirOf = () => {
      throw new Error('/srv/secret is gone');
    };
    await assert.rejects(clean(move.id), { message: '/srv/secret is gone' });
    await clean(move.id, 5);
    const { state, error_message } = await moveNow(app, move);
    assert.equal(state, 'cleanup failed');
    assert.match(error_message!, /could not be removed/);
    app.deps.storages.dirOf = real;
    assert.equal(existsSync(dirOf(project)), true);
    await finish(move);
    assert.equal(existsSync(dirOf(project)), false);
  });

  test('on a disk that takes no changes any more keeps the move from nothing', async () => {
    const move = await schedule();
    await run(move.id);
    const { dirOf: real } = app.deps.storages;
    app.deps.storages.dirOf = () => {
      throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path: '/srv' });
    };
    // What such a fault ends stays the first attempt.
    await clean(move.id);
    app.deps.storages.dirOf = real;
    assert.equal((await moveNow(app, move)).state, 'cleanup failed');
    await finish(move);
    assert.equal(existsSync(dirOf(project)), false);
  });
});

describe('a move that cannot be made', () => {
  test('leaves the repository as it was, and says why without telling of the machine', async () => {
    const second = app.deps.storages.list.find(({ name }) => name === 'second')!.path;
    rmSync(join(second, '@hashed'), { recursive: true, force: true });
    writeFileSync(join(second, '@hashed'), '');
    const before = git.run(['for-each-ref']);
    const { state, error_message } = await finish(await schedule());
    assert.equal(state, 'failed');
    assert.match(error_message!, /^[A-Z][^/]*\.$/);
    assert.deepEqual([(await now()).repository_storage, (await now()).repository_read_only], ['default', 0]);
    assert.equal(await refsOf(), before);
    rmSync(join(second, '@hashed'));
    mkdirSync(join(second, '@hashed'));
    assert.equal((await finish(await schedule())).state, 'finished');
  });

  test('leaves nothing where it has filled the disk', async () => {
    await commitToWiki(app, { type: 'project', id: project.id }, [page('home.md')]);
    for (let count = 0; count < 20; count += 1) git.commit('main', { [`${count}.txt`]: `${count}\n` });
    const before = git.run(['for-each-ref']);
    const move = await schedule();
    const ended: number[] = [];
    const full = async (copied: number) => {
      if (ended.length > 0) ended.push(copied);
      else assert.equal((await moveNow(app, move)).state, 'started');
      if (copied === 30) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    await whileCopying(app, 'second', full, async () => {
      await run(move.id);
      ended.push(30);
      // Whoever still copied would have copied more than one file meanwhile.
      for (let count = 0; count < 30; count += 1)
        await copyFile(import.meta.filename, join(app.deps.config.dataDir, 'copy'));
      rmSync(join(app.deps.config.dataDir, 'copy'));
    });
    assert.deepEqual(ended, [30], 'files are copied to what was given up');
    const { state, error_message } = await moveNow(app, move);
    assert.deepEqual([state, error_message], ['failed', 'The disk of the destination storage is full.']);
    const wiki = await ensureWiki(app.deps, { type: 'project', id: project.id });
    for (const row of [await now(), wiki])
      assert.deepEqual([row.repository_storage, row.repository_read_only], ['default', 0]);
    await app.drain();
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [2, 0]);
    assert.equal(await refsOf(), before);
    git.run(['fsck', '--strict']);
    const json = { branch: 'main', commit_message: 'x', content: 'x' };
    expectStatus(await app.post(`/projects/${project.id}/repository/files/x`, { json }), 201);
    await commitToWiki(app, { type: 'project', id: project.id }, [page('b.md')]);
    assert.equal((await finish(await schedule())).state, 'finished');
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 2]);
    expectStatus(await app.get(`/projects/${project.id}/repository/files/x?ref=main`), 200);
  });

  test('of a repository that is not there fails', async () => {
    rmSync(git.dir, { recursive: true });
    const { state, error_message } = await finish(await schedule());
    assert.deepEqual([state, error_message], ['failed', 'The repository or the destination storage does not exist.']);
    assert.equal((await now()).repository_read_only, 0);
    assert.deepEqual(onDisk(app, 'second'), []);
  });

  test('ends when its process has died at every attempt', async () => {
    const move = await schedule();
    await runMove(app.deps, move.id, { attempts: 21, signal: new AbortController().signal });
    assert.equal((await moveNow(app, move)).state, 'failed');
    assert.equal((await now()).repository_read_only, 0);
  });
});

describe('a move that is interrupted', () => {
  /** What a process leaves that is killed in the middle of copying. */
  async function killedCopy(): Promise<StorageMove> {
    const move = await schedule();
    const stop = new AbortController();
    const { transaction } = app.deps.db;
    let transactions = 0;
    app.deps.db.transaction = function (this: typeof app.deps.db) {
      transactions += 1;
      // The first enters that it has begun; nothing of what comes after it happens.
      if (transactions > 1) throw Object.assign(new Error('killed'), { code: '57P01' });
      return transaction.call(this);
    } as typeof transaction;
    await assert.rejects(run(move.id, stop.signal));
    app.deps.db.transaction = transaction;
    return move;
  }

  test('is made anew at the next start, and nothing is left of what there was', async () => {
    const move = await killedCopy();
    assert.equal((await moveNow(app, move)).state, 'started');
    assert.equal(onDisk(app, 'second').length, 1);
    assert.equal((await finish(move)).state, 'finished');
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 1]);
    assert.match(await refsOf(), /refs\/heads\/main/);
  });

  test('goes on when its job was dropped', async () => {
    const move = await schedule();
    await app.deps.db.deleteFrom('jobs').execute();
    await resumeMoves(app.deps);
    await resumeMoves(app.deps);
    assert.equal((await finish(move)).state, 'finished');
  });

  test('cannot switch over once another attempt has begun', async () => {
    const move = await schedule();
    const { storages } = app.deps;
    const { dirOf: real } = storages;
    let overtaken = false;
    storages.dirOf = (location) => {
      if (!overtaken && location.storage === 'second') {
        overtaken = true;
        void app.deps.db.updateTable('repository_storage_moves').set({ claim: 'another' }).execute();
      }
      return real.call(storages, location);
    };
    await run(move.id);
    assert.deepEqual([(await moveNow(app, move)).state, (await now()).repository_storage], ['started', 'default']);
    storages.dirOf = real;
    assert.equal((await finish(move)).state, 'finished');
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 1]);
  });

  test('ends with a server that stops, and is made by the next', async () => {
    const move = await schedule();
    await assert.rejects(run(move.id, AbortSignal.abort(new Error('stopped'))), { message: 'stopped' });
    assert.deepEqual([(await moveNow(app, move)).state, (await now()).repository_read_only], ['scheduled', 0]);
    assert.equal((await finish(move)).state, 'finished');
    assert.deepEqual([onDisk(app, 'default').length, onDisk(app, 'second').length], [0, 1]);
  });

  for (const when of ['before', 'during', 'after'] as const) {
    test(`of a project that is removed ${when} it leaves nothing`, async () => {
      const move = await schedule();
      if (when === 'during') await killedCopy().catch(() => {});
      if (when === 'after') await run(move.id);
      expectStatus(await app.delete(`/projects/${project.id}`), 202);
      await app.drain();
      clock.advance(700_000);
      await app.drain();
      assert.deepEqual([onDisk(app, 'default'), onDisk(app, 'second')], [[], []]);
      assert.deepEqual(await app.deps.db.selectFrom('repository_storage_moves').selectAll().execute(), []);
    });
  }
});

test('a project goes on through its renaming, transfer and archiving while it is moved', async () => {
  const group = await app.make.group();
  const move = await schedule();
  expectStatus(await app.put(`/projects/${project.id}`, { json: { path: 'renamed' } }), 200);
  expectStatus(await app.put(`/projects/${project.id}/transfer`, { json: { namespace: group.id } }), 200);
  expectStatus(await app.post(`/projects/${project.id}/archive`), 201);
  assert.equal((await finish(move)).state, 'finished');
  const row = await now();
  assert.deepEqual([row.full_path, row.archived, row.repository_storage], [`${group.full_path}/renamed`, 1, 'second']);
});

test('a fork that is made while its source is moved has all of it', async () => {
  const { id } = expectStatus<{ id: number }>(
    await app.post(`/projects/${project.id}/fork`, { json: { path: 'fork', name: 'Fork' } }),
    201,
  );
  await finish(await schedule());
  const fork = await now(id);
  assert.deepEqual([fork.import_status, fork.repository_read_only], ['finished', 0]);
  assert.match(new ProjectGit(app, fork).run(['for-each-ref']), /refs\/heads\/main/);
  await assert.rejects(
    inRepositoryQueue(app.deps, project, async (repo) => repo.refs.list('refs/')),
    { code: 'corrupt' },
  );
});

test('a storage is emptied a few at a time, and what cannot be moved is left', async () => {
  const others: Project[] = [];
  for (let count = 0; count < 30; count += 1) others.push(await app.make.project());
  await app.deps.db.updateTable('projects').set({ repository_read_only: 1 }).where('id', '=', others[3]!.id).execute();
  await moveAll(app.deps, 'project', 'default', 'second');
  await app.drain();
  const rows = await app.deps.db.selectFrom('projects').select(['id', 'repository_storage']).execute();
  assert.deepEqual(
    rows.filter(({ repository_storage }) => repository_storage !== 'second').map(({ id }) => id),
    [others[3]!.id],
  );
  const moves = await app.deps.db.selectFrom('repository_storage_moves').select('state').execute();
  assert.deepEqual([moves.length, new Set(moves.map(({ state }) => state))], [30, new Set(['finished'])]);
});
