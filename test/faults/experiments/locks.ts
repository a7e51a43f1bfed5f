import assert from 'node:assert/strict';
import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient, type Call } from '../../support/api-client.ts';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, type MadeProject, must, projectWithWork, recordsOf, repositoryDir } from '../projects.ts';
import { stithy } from '../stithy.ts';

const WRITES = 15;

const LOCKS = ['HEAD.lock', 'packed-refs.lock', 'refs/heads/main.lock', 'refs/heads/topic.lock', 'config.lock'];

function lockAll(dir: string, at: Date): string[] {
  return LOCKS.map((name) => {
    const path = join(dir, name);
    writeFileSync(path, '');
    utimesSync(path, at, at);
    return path;
  });
}

async function push(lab: Lab, url: string, { fullPath }: MadeProject, name: string): Promise<number> {
  const clone = join(lab.folder, `clone-${name}`);
  await mustGit(lab.folder, ['clone', '--quiet', cloneUrl(url, fullPath, ROOT_TOKEN), clone]);
  await mustGit(clone, ['commit', '--quiet', '--allow-empty', '-m', name]);
  return (await runGitClient(clone, ['push', '--quiet', 'origin', 'HEAD:main'])).code;
}

/** Locks that a git killed long ago has left stand in nobody's way; one that is held makes the write come again. */
async function refLocks(lab: Lab): Promise<void> {
  const dataDir = join(lab.folder, 'data');
  const database = await lab.newDatabase();
  let server = await lab.start(dataDir, database);
  let call = apiClient(server.url, ROOT_TOKEN);
  const project = await projectWithWork(call, 'p');
  const dir = await repositoryDir(recordsOf(dataDir, database), dataDir, project);
  await server.kill();
  const old = new Date(Date.now() - 25 * 3_600_000);
  let locks = lockAll(dir, old);
  server = await lab.start(dataDir, database);
  call = apiClient(server.url, ROOT_TOKEN);
  await commitFile(call, project.at, 'main', 'after-start');
  locks = lockAll(dir, old);
  await commitFile(call, project.at, 'main', 'while-it-runs');
  locks = lockAll(dir, old);
  assert.equal(await push(lab, server.url, project, 'stale'), 0);
  locks = lockAll(dir, old);
  await must(call, 'PUT', `${project.at}/merge_requests/1/merge`);
  assert.ok(!existsSync(join(dir, 'refs/heads/main.lock')));
  for (const lock of locks) rmSync(lock, { force: true });
  lab.say('locks of the day before: commits, a push and a merge go past them, at the start and later');

  const held = join(dir, 'refs/heads/main.lock');
  writeFileSync(held, '');
  const body = {
    branch: 'main',
    commit_message: 'x',
    actions: [{ action: 'create', file_path: 'held', content: 'x' }],
  };
  const refused = await call('POST', `${project.at}/repository/commits`, body);
  assert.equal(refused.status, 503, refused.text);
  assert.notEqual(refused.headers.get('retry-after'), null);
  assert.notEqual(await push(lab, server.url, project, 'held'), 0);
  rmSync(held);
  await must(call, 'POST', `${project.at}/repository/commits`, body);
  assert.equal(await push(lab, server.url, project, 'free'), 0);
  assert.equal((await recordsOf(dataDir, database).query('select id from ref_intents')).length, 0);
  lab.say(`a lock that is held: ${refused.status} meanwhile, and all is well once it is gone`);
  assert.equal(await server.stop(), 0);
}

/** Writes to one branch until so many are made: a commit on an outdated head is made again by the server. */
async function commitMany(call: Call, at: string, who: string): Promise<string[]> {
  const made: string[] = [];
  while (made.length < WRITES) made.push((await commitFile(call, at, 'main', `${who}-${made.length}`)).id);
  return made;
}

/** A folder takes servers of one database: on PostgreSQL any number, which lose nothing of each other's writes. */
async function twoServers(lab: Lab): Promise<void> {
  const dataDir = join(lab.folder, 'shared');
  const database = await lab.newDatabase();
  const first = await lab.start(dataDir, database);
  const call = apiClient(first.url, ROOT_TOKEN);
  const project = await projectWithWork(call, 'shared');
  const refused = async (what: string, settings: Record<string, string>, because: RegExp) => {
    const { code, stderr } = await stithy(['serve'], settings);
    assert.equal(code, 2, `${what}: ${stderr}`);
    assert.match(stderr, /^stithy: [^\n]+\n$/);
    assert.match(stderr, because, what);
    lab.say(`${what}: ${stderr.trim()}`);
  };
  const another = await lab.newDatabase();
  await refused(
    'a server of another database on the folder',
    lab.engine === 'postgres'
      ? { STITHY_DATA_DIR: dataDir, ...another }
      : { STITHY_DATA_DIR: dataDir, STITHY_DATABASE_URL: 'sqlite:other.db' },
    lab.engine === 'postgres' ? /belongs to another database/ : /Another server, with a different database, uses/,
  );
  const storages = { STITHY_STORAGES: `default=${join(dataDir, 'repositories')}` };
  await refused(
    'a server with a folder of its own on the same storage',
    { STITHY_DATA_DIR: join(lab.folder, 'own'), ...another, ...storages },
    lab.engine === 'postgres'
      ? /belongs to another database/
      : /Another server, with a different database, uses .*repositories/,
  );
  if (lab.engine === 'sqlite') {
    await refused('a second server of the same database', { STITHY_DATA_DIR: dataDir }, /Another server runs on/);
  } else {
    const second = await lab.start(dataDir, database);
    const calls = [call, apiClient(second.url, ROOT_TOKEN)];
    const made = (await Promise.all(calls.map((call, index) => commitMany(call, project.at, `s${index}`)))).flat();
    const commits = new Set<string>();
    for (let page = 1; page <= 2; page += 1) {
      const query = `ref_name=main&per_page=100&page=${page}`;
      const rows = await must<{ id: string }[]>(call, 'GET', `${project.at}/repository/commits?${query}`);
      for (const { id } of rows) commits.add(id);
    }
    assert.deepEqual(
      made.filter((id) => !commits.has(id)),
      [],
      'lost',
    );
    lab.say(`two servers of the same database: ${made.length} commits to one branch through both, all in its history`);
    await second.kill();
    await commitFile(call, project.at, 'main', 'after the neighbour');
  }
  await first.kill();
  // The locks go with the process: the same folder starts at once.
  const again = await lab.start(dataDir, database);
  await must(apiClient(again.url, ROOT_TOKEN), 'GET', `${project.at}/repository/branches`);
}

export default {
  title: 'locks of refs that are left over or held; two servers on one folder, one storage, one database',
  run: async (lab) => {
    await refLocks(lab);
    await twoServers(lab);
  },
} satisfies Experiment;
