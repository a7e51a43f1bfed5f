import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { emptyPlace, enginesToRestoreTo } from '../../test/support/backups.ts';
import { mustGit } from '../../test/support/git-client.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import { moveNow, whileCopying } from '../../test/support/storage-moves.ts';
import { commitToWiki, page } from '../../test/support/wikis.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../core/clock.ts';
import { silentLogger } from '../core/logger.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { StorageMove } from '../db/tables/storage-moves.table.ts';
import { allRepositories } from '../repositories/all.ts';
import { runMove } from '../repositories/moves/storage-moves.run.ts';
import { scheduleMove } from '../repositories/moves/storage-moves.schedule.ts';
import { refInconsistencies } from '../repositories/ref-consistency.ts';
import { type Running, serve } from '../start.ts';
import { restoreBackup } from './backup.restore.ts';
import { makeBackup } from './backup.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
let app: TestApp;
let folder: string;
let project: Project;
beforeEach(async () => {
  app = await buildTestApp();
  app.deps.alone = true;
  cleanUps.push(() => app.close());
  folder = await mkdtemp(join(tmpdir(), 'stithy-backup-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  project = await app.make.project();
  const git = new ProjectGit(app, project);
  for (let count = 0; count < 5; count += 1) git.commit('main', { [`${count}.txt`]: `${count}\n` });
  await commitToWiki(app, { type: 'project', id: project.id }, [page('home.md')]);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function backUp(): Promise<void> {
  const { config, database } = app.deps;
  const { manifest } = await makeBackup({ config, database, clock: systemClock, folder, onProgress: () => {} });
  assert.deepEqual(manifest.problems, []);
}

/** Makes a backup during a storage move in that state, and checks the restored installation. */
async function backedUpMove(state: StorageMove['state']): Promise<void> {
  const move = await scheduleMove(app.deps, 'project', project.id, 'second');
  const seen = async () => {
    assert.equal((await moveNow(app, move)).state, state);
    await backUp();
  };
  if (state === 'scheduled') return seen();
  // A real job owns the move, as on a running server.
  if (state === 'started') {
    await whileCopying(
      app,
      'second',
      (copied) => (copied === 3 ? seen() : Promise.resolve()),
      () => app.drain(),
    );
    return;
  }
  await runMove(app.deps, move.id, { attempts: 1, signal: new AbortController().signal });
  await seen();
}

async function restored(config: Config): Promise<Running> {
  await restoreBackup({ config, clock: systemClock, folder, name: null, onProgress: () => {} });
  const running = await serve(config, silentLogger);
  cleanUps.push(() => running.stop());
  return running;
}

/** Waits until the move has ended, as a server does without outside help. */
async function whenOver({ deps }: Running): Promise<StorageMove> {
  for (let looks = 0; looks < 1_200; looks += 1) {
    const [move] = await deps.db.selectFrom('repository_storage_moves').selectAll().execute();
    if (!['scheduled', 'started', 'replicated'].includes(move!.state)) return move!;
    await sleep(50);
  }
  throw new Error('the move does not come to an end');
}

/** Checks that every repository exists, is intact and writable, and that there are no others. */
async function looksWhole({ deps, url }: Running, storage: string): Promise<void> {
  const dirs: string[] = [];
  for await (const holder of allRepositories(deps.db)) {
    const dir = deps.storages.dirOf({ storage: holder.repository_storage, diskPath: holder.disk_path });
    assert.equal(holder.repository_storage, storage);
    await mustGit(dir, ['fsck', '--full', '--strict', '--no-dangling']);
    dirs.push(dir);
  }
  assert.equal(dirs.length, 2);
  assert.deepEqual(await refInconsistencies(deps.db, deps.storages), []);
  const storedDirs = deps.storages.list.flatMap(({ path }) => globSync(join(path, '@hashed/*/*/*')));
  assert.deepEqual(storedDirs.sort(), dirs.sort());
  for (const [path, body] of [
    [`repository/files/new.txt`, { branch: 'main', commit_message: 'x', content: 'x' }],
    ['wikis', { title: 'New', content: 'x' }],
  ] as const) {
    const answer = await fetch(`${url}/api/v4/projects/${project.id}/${path}`, {
      method: 'POST',
      headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 201, await answer.text());
  }
  const wiki = deps.db.selectFrom('wikis').select('repository_read_only');
  const projects = deps.db.selectFrom('projects').select('repository_read_only');
  const flags = (await wiki.unionAll(projects).execute()).map(({ repository_read_only }) => repository_read_only);
  assert.deepEqual(flags, [0, 0]);
}

describe('a backup that was made while a repository was moved', () => {
  for (const state of ['scheduled', 'started', 'replicated'] as const) {
    test(`and is restored in the state ${state} ends the move, with all that there was`, async () => {
      await backedUpMove(state);
      for (const engine of enginesToRestoreTo()) {
        const running = await restored(await emptyPlace(engine, cleanUps));
        assert.equal((await whenOver(running)).state, 'finished', engine);
        await looksWhole(running, 'second');
      }
    });
  }

  test('and is restored where its destination is missing leaves all where it was', async () => {
    await backedUpMove('started');
    const config = await emptyPlace('same', cleanUps, ['default']);
    const running = await restored(config);
    const { state, error_message } = await whenOver(running);
    assert.deepEqual([state, error_message], ['failed', 'The repository or the destination storage does not exist.']);
    await looksWhole(running, 'default');
    assert.equal(existsSync(join(config.dataDir, 'second')), false);
  });
});
