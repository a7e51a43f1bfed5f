import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { cloneUrl, runGitClient } from '../../test/support/git-client.ts';
import { beforeTransaction } from '../../test/support/meanwhile.ts';
import { makeMergeRequest } from '../../test/support/merge-request.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import { dieAs, findDead, secondProcess } from '../../test/support/second-process.ts';
import { refreshMergeRequest } from '../api/planning/merge-requests/mergeability/refresh.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { RefUpdate } from '../git/refs/index.ts';
import { changeRefs, repositoryOf } from './change-refs.ts';
import { ofProject } from './holder.ts';
import { runMove } from './moves/storage-moves.run.ts';
import { scheduleMove } from './moves/storage-moves.schedule.ts';
import { recoverOrphanedIntents } from './recover-intents.ts';
import { updateHead, updateServerRefs, withoutIntent } from './server-writes.ts';

const OLD = new Date(Date.now() - 60_000);

test('a server knows of itself, and takes nobody else for alive', async () => {
  const app = await buildTestApp();
  try {
    const { processes } = app.deps;
    assert.deepEqual(await processes.disconnected([processes.id, 999_999]), new Set([999_999]));
    assert.ok((await processes.known()).includes(processes.id));
  } finally {
    await app.close();
  }
});

describe('what a process leaves that dies beside others', { skip: !process.env.STITHY_TEST_POSTGRES }, () => {
  let app: TestApp;
  let other: TestApp;
  let project: Project;
  let git: ProjectGit;
  let tip: string;
  before(async () => {
    app = await buildTestApp();
  });
  after(() => app.close());
  afterEach(() => other.close());
  beforeEach(async () => {
    other = (await secondProcess(app))!;
    project = await app.make.project();
    git = new ProjectGit(app, project);
    tip = git.commit('main', { a: '1' });
  });

  /** What the other process has stored before it died. */
  async function leaveIntent(updates: RefChange[]): Promise<void> {
    await app.deps.db
      .insertInto('ref_intents')
      .values({
        project_id: project.id,
        user_id: 1,
        updates: JSON.stringify(updates),
        context: JSON.stringify({ via: 'git', pushOptions: [], wasEmpty: false }),
        created_at: app.deps.clock.now().toISOString(),
        process_id: other.deps.processes.id,
      })
      .execute();
  }

  /** A commit on a branch, whose ref moves only if `moves` says so. */
  function change(moves: boolean, branch = 'main'): RefChange {
    const commit = git.run(['commit-tree', `${tip}^{tree}`, '-p', tip, '-m', 'left']);
    if (moves) git.run(['update-ref', `refs/heads/${branch}`, commit]);
    return { ref: `refs/heads/${branch}`, old: branch === 'main' ? tip : null, new: commit };
  }

  const write = (branch = 'main') =>
    app.post(`/projects/${project.id}/repository/commits`, {
      json: {
        branch,
        commit_message: 'later',
        actions: [{ action: 'create', file_path: `later-${branch}`, content: 'x' }],
        ...(branch === 'main' ? {} : { start_sha: tip }),
      },
    });

  const intents = () =>
    app.deps.db.selectFrom('ref_intents').selectAll().where('project_id', '=', project.id).execute();

  async function events(): Promise<RefChange[]> {
    const rows = await app.deps.db
      .selectFrom('domain_events')
      .select('payload')
      .where('type', '=', 'push')
      .where('project_id', '=', project.id)
      .orderBy('id')
      .execute();
    const all = rows.flatMap(({ payload }) => (JSON.parse(payload) as { updates: RefChange[] }).updates);
    return all.map(({ ref, old, new: oid }) => ({ ref, old, new: oid }));
  }

  async function dead(): Promise<void> {
    await dieAs(other);
    while (!(await app.deps.processes.disconnected([other.deps.processes.id])).has(other.deps.processes.id))
      await sleep(20);
  }

  test('is recovered once it is known to be dead, and nothing of those that live', async () => {
    const mine = change(true, 'mine');
    await leaveIntent([mine]);
    await findDead(app);
    assert.equal((await intents()).length, 1);
    await dieAs(other);
    await findDead(app);
    assert.deepEqual([await intents(), await events()], [[], [mine]]);
  });

  test('is recovered before the next write, so that the events of a ref join', async () => {
    const left = change(true);
    const beside = change(true, 'beside');
    await leaveIntent([left]);
    await leaveIntent([beside]);
    await dead();
    expectStatus(await write(), 201);
    const recorded = await events();
    assert.deepEqual(recorded.slice(0, 2), [left, beside]);
    assert.equal(recorded[2]?.old, left.new);
    assert.deepEqual(await intents(), []);
  });

  test('stays while it lives; a write that starts from it has it recorded first', async () => {
    const beside = change(false, 'beside');
    await leaveIntent([beside]);
    const left = change(true);
    await leaveIntent([left]);
    expectStatus(await write(), 201);
    const recorded = await events();
    assert.deepEqual([recorded[0], recorded[1]?.old], [left, left.new]);
    assert.equal((await intents()).length, 1);
  });

  test('is recovered when a client is about to push again, whom nothing is left to send', async () => {
    const left = change(true);
    await leaveIntent([left]);
    await dead();
    const url = cloneUrl(await app.listen(), project.full_path, ROOT_TOKEN);
    const { code, stderr } = await runGitClient(git.dir, ['push', url, `${left.new}:refs/heads/main`]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /up-to-date/);
    assert.deepEqual(await events(), [left]);
  });

  test('is recorded all the same where it was dropped and is made later', async () => {
    const left = change(false);
    await leaveIntent([left]);
    await leaveIntent([change(false, 'never')]);
    await recoverOrphanedIntents(app.deps, ofProject(project));
    assert.equal((await intents()).length, 2);
    // It was taken for dead between announcing and moving.
    await app.deps.db.deleteFrom('ref_intents').where('project_id', '=', project.id).execute();
    const repo = repositoryOf(other.deps, project);
    const transaction = repo.refs.transaction.bind(repo.refs);
    repo.refs.transaction = async (...input) => {
      await dead();
      await recoverOrphanedIntents(app.deps, ofProject(project));
      assert.deepEqual([await intents(), await events()], [[], []]);
      // Nothing else stops a process that stood still between its last look and this.
      const [updates, { stored }] = [input[0], input[1]!];
      await transaction(updates, { stored });
    };
    await changeRefs(other.deps, repo, {
      holder: ofProject(project),
      userId: 1,
      updates: [left],
      via: 'git',
      pushOptions: [],
      guard: async () => {},
    });
    assert.deepEqual(await events(), [left]);
    assert.deepEqual(await app.deps.db.selectFrom('dropped_ref_intents').selectAll().execute(), []);
  });

  test('its locks go with what it was writing, those of others stay', async () => {
    const left = change(false);
    await leaveIntent([left]);
    const lock = (ref: string) => {
      const path = join(git.dir, `${ref}.lock`);
      writeFileSync(path, '');
      utimesSync(path, OLD, OLD);
      return path;
    };
    const [theirs, strange] = [lock('refs/heads/main'), lock('refs/heads/strange')];
    expectStatus(await write(), 503);
    await dead();
    expectStatus(await write(), 201);
    assert.deepEqual([existsSync(theirs), existsSync(strange)], [false, true]);
    assert.equal(readFileSync(join(git.dir, 'refs/heads/main'), 'utf8').trim(), (await events())[0]?.new);
  });

  test('a lock that is young may be that of the upkeep: what was written is recovered later', async () => {
    const left = change(true);
    await leaveIntent([left]);
    writeFileSync(join(git.dir, 'refs/heads/main.lock'), '');
    await dieAs(other);
    await findDead(app);
    assert.equal((await intents()).length, 1);
    utimesSync(join(git.dir, 'refs/heads/main.lock'), OLD, OLD);
    await app.deps.processes.heartbeat(performance.now() + 60_000);
    assert.deepEqual([await intents(), await events()], [[], [left]]);
  });

  test('its locks of a moment ago are waited for until it shows that they are orphaned', async () => {
    await leaveIntent([change(false)]);
    const lock = join(git.dir, 'refs/heads/main.lock');
    writeFileSync(lock, '');
    await dead();
    expectStatus(await write(), 201);
    assert.ok(!existsSync(lock));
    assert.deepEqual(await intents(), []);
  });

  test('a change that takes long is not made where it was dropped meanwhile', async () => {
    const left = change(false);
    const stored = (async () => {
      await dead();
      await sleep(1_100);
      utimesSync(join(git.dir, 'refs/heads/main.lock'), OLD, OLD);
      await recoverOrphanedIntents(app.deps, ofProject(project));
      assert.deepEqual(await intents(), []);
      // Somebody else has the lock by now.
      writeFileSync(join(git.dir, 'refs/heads/main.lock'), '');
      return new Set<string>();
    })();
    const made = changeRefs(other.deps, repositoryOf(other.deps, project), {
      ...{ holder: ofProject(project), userId: 1, updates: [left], via: 'git', pushOptions: [], stored },
      guard: async () => {},
    });
    await assert.rejects(made, { code: 'busy' });
    assert.ok(existsSync(join(git.dir, 'refs/heads/main.lock')));
    assert.deepEqual([git.run(['rev-parse', 'main']), await events()], [tip, []]);
  });

  describe('has locks of references that no event tells of', () => {
    const REF = 'refs/merge-requests/1/head';
    const lockPath = (file: string) => join(git.dir, `${file}.lock`);

    function leaveLock(file: string, { old = true } = {}): void {
      mkdirSync(dirname(lockPath(file)), { recursive: true });
      writeFileSync(lockPath(file), '');
      if (old) utimesSync(lockPath(file), OLD, OLD);
    }

    const update = (updates: readonly RefUpdate[], { deps } = app) =>
      updateServerRefs(deps, ofProject(project), repositoryOf(deps, project), updates);

    test('which go with the next write of one, and no other locks', async () => {
      const keep = `refs/keep-around/${tip}`;
      for (const file of [REF, keep, 'refs/merge-requests/2/head', 'refs/heads/main']) leaveLock(file);
      await update([
        { ref: REF, old: null, new: tip },
        { ref: keep, new: tip },
      ]);
      assert.deepEqual([git.run(['rev-parse', REF]), git.run(['rev-parse', keep])], [tip, tip]);
      assert.deepEqual([existsSync(lockPath(REF)), existsSync(lockPath(keep))], [false, false]);
      const others = ['refs/merge-requests/2/head', 'refs/heads/main'].map((file) => existsSync(lockPath(file)));
      assert.deepEqual(others, [true, true]);
      leaveLock('packed-refs');
      await update([{ ref: REF, old: tip, new: null }]);
      assert.equal(existsSync(lockPath('packed-refs')), false);
    });

    test('which are waited for where they are of a moment ago', async () => {
      leaveLock(REF, { old: false });
      await update([{ ref: REF, old: null, new: tip }]);
      assert.equal(git.run(['rev-parse', REF]), tip);
    });

    test('and of HEAD, which stay while a process lives that has announced a change', async () => {
      leaveLock('HEAD');
      await leaveIntent([change(false)]);
      const set = () => updateHead(app.deps, ofProject(project), repositoryOf(app.deps, project), 'other');
      await assert.rejects(set(), { code: 'locked' });
      assert.ok(existsSync(lockPath('HEAD')));
      await dead();
      await set();
      assert.equal(git.run(['symbolic-ref', 'HEAD']), 'refs/heads/other');
    });

    test('and of HEAD, by which the first branch of a repository becomes its default all the same', async () => {
      project = await app.make.project();
      git = new ProjectGit(app, project);
      leaveLock('HEAD');
      const actions = [{ action: 'create', file_path: 'a', content: 'x' }];
      const json = { branch: 'trunk', commit_message: 'first', actions };
      expectStatus(await app.post(`/projects/${project.id}/repository/commits`, { json }), 201);
      assert.equal(git.run(['symbolic-ref', 'HEAD']), 'refs/heads/trunk');
      assert.deepEqual(await intents(), []);
    });

    test('past which a merge request is brought up to date', async () => {
      git.commit('work', { w: '1' }, { start: tip });
      const { iid } = await makeMergeRequest(app, project, { source_branch: 'work' });
      const ref = `refs/merge-requests/${iid}/head`;
      const head = git.commit('work', { w: '2' }, { start: git.run(['rev-parse', 'work']) });
      leaveLock(ref, { old: false });
      const row = await app.deps.db
        .updateTable('merge_requests')
        .set({ head_sha: head })
        .where('project_id', '=', project.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await refreshMergeRequest(app.deps, row.id);
      assert.equal(git.run(['rev-parse', ref]), head);
      const path = `/projects/${project.id}/merge_requests/${iid}`;
      const { sha, detailed_merge_status } = expectStatus(await app.get(path), 200);
      assert.deepEqual([sha, detailed_merge_status], [head, 'mergeable']);
    });

    test('and brings a merge request up to date at the same moment', async () => {
      git.commit('work', { w: '1' }, { start: tip });
      const { iid, id } = await makeMergeRequest(app, project, { source_branch: 'work' });
      const ref = `refs/merge-requests/${iid}/head`;
      const head = git.commit('work', { w: '2' }, { start: git.run(['rev-parse', 'work']) });
      await app.deps.db.updateTable('merge_requests').set({ head_sha: head }).where('id', '=', id).execute();
      beforeTransaction(app, () => refreshMergeRequest(other.deps, id));
      await refreshMergeRequest(app.deps, id);
      assert.equal(git.run(['rev-parse', ref]), head);
    });

    test('and a writer that lives, with its connection lost, changes nothing after them', async () => {
      const next = git.commit('side', { s: '1' }, { start: tip });
      const late = withoutIntent(other.deps, ofProject(project), repositoryOf(other.deps, project), [REF], (fence) => {
        const stored = (async () => {
          await sleep(1_100);
          await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state = 'idle in transaction'`.execute(app.deps.db);
          utimesSync(lockPath(REF), OLD, OLD);
          await update([{ ref: REF, old: null, new: next }]);
          // And one more is at it.
          leaveLock(REF, { old: false });
          return new Set<string>();
        })();
        return repositoryOf(other.deps, project).refs.transaction([{ ref: REF, old: null, new: tip }], {
          stored,
          fence,
        });
      });
      await assert.rejects(late);
      assert.deepEqual([git.run(['rev-parse', REF]), existsSync(lockPath(REF))], [next, true]);
    });
  });

  test('holds no move up', async () => {
    const left = change(true);
    await leaveIntent([left]);
    await dead();
    const move = await scheduleMove(app.deps, 'project', project.id, 'second');
    await runMove(app.deps, move.id, { attempts: 1, signal: new AbortController().signal });
    const now = await app.deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow();
    assert.deepEqual([now.repository_storage, now.repository_read_only], ['second', 0]);
    assert.deepEqual(await events(), [left]);
  });
});
