import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { enginesToRestoreTo, emptyPlace as makePlace } from '../../test/support/backups.ts';
import { commitToWiki, page } from '../../test/support/wikis.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { systemClock } from '../core/clock.ts';
import { silentLogger } from '../core/logger.ts';
import { StartupError } from '../core/startup-error.ts';
import { backupRuns, withoutFileRemoval } from '../db/backup-lease.ts';
import { fsck } from '../git/repository/index.ts';
import { allRepositories } from '../repositories/all.ts';
import { refInconsistencies } from '../repositories/ref-consistency.ts';
import { type Instance, open } from '../start.ts';
import { pruneBackups } from './backup.prune.ts';
import { restoreBackup } from './backup.restore.ts';
import { makeBackup } from './backup.ts';
import { snapshotNames, snapshotsIn } from './layout.ts';

let app: TestApp;
let folder: string;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const cleanUps: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-backup-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const backup = (to = folder) => {
  const { config, database } = app.deps;
  return makeBackup({ config, database, clock: systemClock, folder: to, onProgress: () => {} });
};

const emptyPlace = (engine: 'same' | 'sqlite' = 'same') => makePlace(engine, cleanUps);

const restore = (config: Config, name: string | null = null) =>
  restoreBackup({ config, clock: systemClock, folder, name, onProgress: () => {} });

async function openRestored(config: Config): Promise<Instance> {
  const instance = await open(config, silentLogger);
  cleanUps.push(() => instance.close());
  return instance;
}

async function commit(project: number, branch: string, content: string, start = 'main'): Promise<string> {
  const json = {
    branch,
    ...(branch === start ? {} : { start_branch: start }),
    commit_message: content,
    actions: [{ action: 'create', file_path: `${content}.txt`, content }],
  };
  return expectStatus<{ id: string }>(await app.post(`/projects/${project}/repository/commits`, { json }), 201).id;
}

async function projectWithFile(): Promise<number> {
  const json = { name: `p${Math.random().toString(36).slice(2)}` };
  const { id } = expectStatus<{ id: number }>(await app.post('/projects', { json }), 201);
  await commit(id, 'main', 'first');
  return id;
}

test('a restored copy is the installation of that instant, also on the embedded database', async () => {
  const project = await projectWithFile();
  const head = await commit(project, 'topic', 'change');
  const mr = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
  expectStatus(await app.post(`/projects/${project}/merge_requests`, { json: mr }), 201);
  const { sha256 } = await app.deps.blobs.put(Readable.from([Buffer.from('a blob')]), { maxBytes: 100 });
  await app.deps.db
    .insertInto('lfs_objects')
    .values({ project_id: project, oid: sha256, size: 6, created_at: new Date().toISOString() })
    .execute();
  const ofProject = { type: 'project' as const, id: project };
  const written = await commitToWiki(app, ofProject, [page('home.md')]);
  const { name, manifest } = await backup();
  assert.deepEqual(manifest.problems, []);
  await commit(project, 'topic', 'later', 'topic');
  await commitToWiki(app, ofProject, [page('later.md')]);
  await app.delete(`/projects/${project}`);
  await app.drain();

  for (const engine of enginesToRestoreTo()) {
    const config = await emptyPlace(engine);
    assert.equal((await restore(config)).name, name);
    const restored = await openRestored(config);
    const { server, deps } = restored;
    const get = (url: string) => server.app.inject({ url: `/api/v4${url}`, headers: { 'private-token': ROOT_TOKEN } });
    const request = (await get(`/projects/${project}/merge_requests/1`)).json();
    assert.equal(request.sha, head);
    assert.equal((await get(`/projects/${project}/repository/branches/topic`)).json().commit.id, head);
    assert.equal((await get(`/projects/${project}/repository/files/change.txt/raw?ref=topic`)).body, 'change');
    assert.equal((await deps.blobs.stat(sha256))?.size, 6);
    const wiki = deps.storages.open({ storage: written.wiki.repository_storage, diskPath: written.wiki.disk_path });
    assert.equal(await wiki.refs.resolve('refs/heads/main'), written.oid);
    assert.deepEqual(await refInconsistencies(deps.db, deps.storages), []);
    const next = await server.app.inject({
      method: 'POST',
      url: '/api/v4/projects',
      headers: { 'private-token': ROOT_TOKEN },
      payload: { name: 'after' },
    });
    assert.ok(next.json().id > project, 'numbers go on where they were');
  }
});

test('copies made under full load agree: every ref, every merge request, every object', async () => {
  const projects = await Promise.all([projectWithFile(), projectWithFile()]);
  let loading = true;
  const load = projects.map(async (project, index) => {
    for (let round = 0; loading; round += 1) {
      const branch = `topic-${round}`;
      await commit(project, branch, `c${index}-${round}`);
      const json = { source_branch: branch, target_branch: 'main', title: branch };
      const { iid } = expectStatus<{ iid: number }>(
        await app.post(`/projects/${project}/merge_requests`, { json }),
        201,
      );
      if (round % 3 !== 0) await commit(project, branch, `d${index}-${round}`, branch);
      if (round % 2 === 0) await app.put(`/projects/${project}/merge_requests/${iid}/merge`, { json: {} });
      if (round % 5 === 4) await app.delete(`/projects/${project}/repository/branches/${branch}`);
      await commitToWiki(app, { type: 'project', id: project }, [page(`${round}.md`)]);
      if (round % 7 === 6) await app.drain();
    }
  });
  const names: string[] = [];
  try {
    for (let round = 0; round < 4; round += 1) names.push((await backup()).name);
  } finally {
    loading = false;
    await Promise.all(load);
  }
  for (const name of names) {
    const config = await emptyPlace();
    await restore(config, name);
    const { deps } = await openRestored(config);
    assert.deepEqual(await refInconsistencies(deps.db, deps.storages), [], name);
    for await (const holder of allRepositories(deps.db)) {
      const dir = deps.storages.dirOf({ storage: holder.repository_storage, diskPath: holder.disk_path });
      assert.deepEqual((await fsck(dir)).problems, [], `${name}: ${holder.name}`);
    }
    const merged = await deps.db
      .selectFrom('merge_requests')
      .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
      .select(['merge_commit_sha', 'repository_storage', 'disk_path'])
      .where('state', '=', 'merged')
      .execute();
    for (const { merge_commit_sha: sha, repository_storage: storage, disk_path: diskPath } of merged) {
      assert.notEqual(await deps.storages.open({ storage, diskPath }).objects.commit(sha!), null);
    }
  }
});

test('a second backup copies only what is new; pruning leaves the kept ones whole', async () => {
  const project = await projectWithFile();
  assert.ok((await backup()).copied > 0);
  assert.equal((await backup()).copied, 0);
  await commit(project, 'main', 'second');
  const third = await backup();
  assert.ok(third.copied > 0 && third.copied < 10_000, `${third.copied} bytes`);
  assert.equal((await pruneBackups(folder, 1)).length, 2);
  assert.deepEqual(await snapshotNames(folder), [third.name]);
  await app.delete(`/projects/${project}`);
  await app.drain();
  const config = await emptyPlace();
  await restore(config);
  const { deps } = await openRestored(config);
  assert.deepEqual(await refInconsistencies(deps.db, deps.storages), []);
  const last = await backup();
  await pruneBackups(folder, 1);
  const repositories = (await readdir(join(folder, 'content', 'repositories', 'default'), { recursive: true })).filter(
    (path) => path.endsWith('.git'),
  );
  assert.equal(repositories.length, last.manifest.content.repositories);
});

test('files of repositories stay while a backup is made, and go afterwards', async () => {
  const { deps } = app;
  const project = await projectWithFile();
  const row = await deps.db.selectFrom('projects').selectAll().where('id', '=', project).executeTakeFirstOrThrow();
  const dir = deps.storages.dirOf({ storage: row.repository_storage, diskPath: row.disk_path });
  await withoutFileRemoval(deps.db, deps.clock, async () => {
    assert.equal(await backupRuns(deps.db, deps.clock), true);
    expectStatus(await app.delete(`/projects/${project}`), 202);
    await app.drain();
    assert.ok(await stat(dir));
  });
  assert.equal(await backupRuns(deps.db, deps.clock), false);
  await deps.jobs.drain(120_000);
  await assert.rejects(stat(dir), { code: 'ENOENT' });
});

test('a backup that died under a clock that ran ahead keeps files no longer than another', async () => {
  const { db, clock } = app.deps;
  const hour = 3_600_000;
  const at = (ms: number) => ({ now: () => new Date(clock.now().getTime() + ms) });
  await withoutFileRemoval(db, at(hour), async () => {
    assert.equal(await backupRuns(db, at(hour)), true);
    assert.equal(await backupRuns(db, clock), false);
  });
  await withoutFileRemoval(db, at(5 * 60_000), async () => {
    assert.equal(await backupRuns(db, clock), true, 'clocks of two machines differ a little');
  });
});

test('an interrupted backup does not count, and the next one clears it away', async () => {
  await backup();
  const [name] = await snapshotNames(folder);
  const broken = join(snapshotsIn(folder), '20990101T000000000Z.part');
  await writeFile(broken, 'half');
  assert.deepEqual(await snapshotNames(folder), [name]);
  await backup();
  await assert.rejects(stat(broken), { code: 'ENOENT' });
});

test('a repository that cannot be copied is named, and the rest is backed up', async () => {
  const project = await projectWithFile();
  const { deps } = app;
  const row = await deps.db.selectFrom('projects').selectAll().where('id', '=', project).executeTakeFirstOrThrow();
  await rm(deps.storages.dirOf({ storage: row.repository_storage, diskPath: row.disk_path }), { recursive: true });
  const { manifest } = await backup();
  assert.equal(manifest.problems.length, 1);
  assert.match(manifest.problems[0]!, new RegExp(`^The repository of ${row.full_path} \\(id ${project}\\): `));
  await app.delete(`/projects/${project}`);
});

test('refusals: a folder inside the data, another backup under way, an installation in the way, damage', async () => {
  const refused = (promise: Promise<unknown>, text: RegExp) =>
    assert.rejects(promise, (error) => error instanceof StartupError && text.test(error.message));
  await refused(backup(join(app.deps.config.dataDir, 'backups')), /is inside/);
  await refused(restore(await emptyPlace()), /There is no backup in/);
  const { name } = await backup();
  await refused(restore(await emptyPlace(), 'nonsense'), new RegExp(`There is no backup nonsense .*${name}`));
  const used = await emptyPlace();
  await restore(used);
  await refused(restore(used), /The target already contains an installation/);
  const { config } = loadConfig({
    STITHY_DATA_DIR: (await emptyPlace('sqlite')).dataDir,
    STITHY_STORAGES: 'other=/tmp/x',
  });
  config.storages = [{ name: 'other', path: join(config.dataDir, 'other'), weight: 100 }];
  await projectWithFile();
  await backup();
  await refused(restore(config), /storage "default"\. Add this storage to STITHY_STORAGES/);
  await appendFile(join(snapshotsIn(folder), name, 'database.jsonl.gz'), 'x');
  await refused(restore(await emptyPlace(), name), /database\.jsonl\.gz of backup .* is damaged/);
  // The database decides which of the two is the first.
  const both = await Promise.allSettled([backup(), backup()]);
  const [second, ...others] = both.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  assert.ok(second instanceof StartupError && /Another backup to .* is in progress/.test(second.message));
  assert.deepEqual(others, []);
});
