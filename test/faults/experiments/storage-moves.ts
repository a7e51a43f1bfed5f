import assert from 'node:assert/strict';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '../../support/api-client.ts';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, type MadeProject, projectWithWork, recordsOf } from '../projects.ts';
import { stithy } from '../stithy.ts';
import { until } from '../until.ts';

const PROJECTS = 8;
const MOVES = 200;
const KILLS = 30;
/** Between two writes to a branch, so that the machine has room for the rest. */
const PAUSE_MS = 100;
const READ_ONLY = 'The repository is temporarily read-only. Please try again later.';
/** Of a request that the server was killed under, nothing is known. */
const UNKNOWN = Symbol('unknown');

/** What a branch must be at the end: the last that was acknowledged, or what nobody was told of after it. */
interface Branch {
  project: MadeProject;
  name: string;
  acknowledged: string | null;
  maybe: boolean;
}

interface World {
  server: ServerProcess;
  /** Counted up before each kill, and after each start: odd while it is not there. */
  times: number;
  going: boolean;
  projects: MadeProject[];
  counts: Record<'commits' | 'pushes' | 'clones' | 'reads' | 'tags' | 'refused', number>;
  wrong: string[];
}

/** Whether the server has been there since. @param times as they were counted then */
const isSteady = (world: World, times: number): boolean => world.times === times && times % 2 === 0;

/** Asks the server; UNKNOWN where it was killed meanwhile. */
async function ask<T>(world: World, work: (url: string) => Promise<T>): Promise<T | typeof UNKNOWN> {
  const { times } = world;
  try {
    return await work(world.server.url);
  } catch (error) {
    if (isSteady(world, times)) throw error;
    return UNKNOWN;
  }
}

const refusedForMove = (status: number, text: string): boolean => status === 400 && text.includes(READ_ONLY);

/** Commits through the API to a branch of its own, and tags now and then. */
async function commits(world: World, branch: Branch, tags: Map<string, string>): Promise<void> {
  const { project, name } = branch;
  for (let count = 0; world.going; count += 1) {
    await sleep(PAUSE_MS);
    const body = {
      branch: name,
      ...(branch.acknowledged === null && !branch.maybe ? { start_branch: 'main' } : {}),
      commit_message: `${count}`,
      actions: [{ action: 'create', file_path: `${name}/${count}.txt`, content: `${count}\n`.repeat(20) }],
    };
    const { times } = world;
    const answer = await ask(world, (url) =>
      apiClient(url, ROOT_TOKEN)<{ id: string }>('POST', `${project.at}/repository/commits`, body),
    );
    if (answer === UNKNOWN) {
      branch.maybe = true;
      await sleep(100);
      continue;
    }
    if (answer.status === 201) {
      branch.acknowledged = answer.body.id;
      branch.maybe = false;
      world.counts.commits += 1;
    } else if (refusedForMove(answer.status, answer.text)) {
      world.counts.refused += 1;
      await sleep(20);
      continue;
    } else if (isSteady(world, times)) world.wrong.push(`commit: ${answer.status} ${answer.text}`);
    if (count % 5 !== 0 || branch.acknowledged === null) continue;
    const tag = `${name}-${count}`;
    const tagged = await ask(world, (url) =>
      apiClient(url, ROOT_TOKEN)('POST', `${project.at}/repository/tags`, { tag_name: tag, ref: branch.acknowledged }),
    );
    if (tagged === UNKNOWN || refusedForMove(tagged.status, tagged.text)) continue;
    if (tagged.status === 201) {
      tags.set(`${project.id} ${tag}`, branch.acknowledged);
      world.counts.tags += 1;
    } else if (isSteady(world, times)) world.wrong.push(`tag: ${tagged.status} ${tagged.text}`);
  }
}

/** Pushes commits of a work tree with git. */
async function pushes(world: World, branch: Branch, work: string): Promise<void> {
  const { project, name } = branch;
  for (let count = 0; world.going; count += 1) {
    await sleep(PAUSE_MS);
    await mustGit(work, ['commit', '--quiet', '--allow-empty', '-m', `${count}`]);
    const head = await mustGit(work, ['rev-parse', 'HEAD']);
    const { times } = world;
    const remote = cloneUrl(world.server.url, project.fullPath, ROOT_TOKEN);
    const { code, stderr } = await runGitClient(work, ['push', '--quiet', remote, `HEAD:refs/heads/${name}`]);
    if (code === 0) {
      branch.acknowledged = head;
      branch.maybe = false;
      world.counts.pushes += 1;
    } else if (stderr.includes(READ_ONLY)) {
      world.counts.refused += 1;
      await sleep(50);
    } else if (isSteady(world, times)) world.wrong.push(`push: ${stderr}`);
    else {
      branch.maybe = true;
      await sleep(100);
    }
  }
}

/** Clones and reads, which never see anything of a move. */
async function reads(world: World, folder: string): Promise<void> {
  for (let count = 0; world.going; count += 1) {
    const project = world.projects[count % PROJECTS]!;
    const { times } = world;
    const into = join(folder, String(count));
    const clone = ['clone', '--quiet', '--bare', cloneUrl(world.server.url, project.fullPath, ROOT_TOKEN), into];
    const { code, stderr } = await runGitClient(folder, clone);
    await rm(into, { recursive: true, force: true });
    if (code === 0) world.counts.clones += 1;
    else if (isSteady(world, times)) world.wrong.push(`clone: ${stderr}`);
    for (const path of [
      '/repository/tree?recursive=true',
      '/repository/files/README.md/raw?ref=main',
      '/repository/commits',
    ]) {
      const before = world.times;
      const answer = await ask(world, (url) => apiClient(url, ROOT_TOKEN)('GET', `${project.at}${path}`));
      if (answer !== UNKNOWN && answer.status === 200) world.counts.reads += 1;
      else if (answer !== UNKNOWN && isSteady(world, before))
        world.wrong.push(`${path}: ${answer.status} ${answer.text}`);
    }
  }
}

/** Moves a project to and fro until there have been enough moves. */
async function moves(world: World, project: MadeProject, left: () => boolean): Promise<void> {
  for (let count = 0; left(); count += 1) {
    const destination_storage_name = count % 2 === 0 ? 'second' : 'default';
    const path = `${project.at}/repository_storage_moves`;
    const { times } = world;
    const made = await ask(world, (url) => apiClient(url, ROOT_TOKEN)('POST', path, { destination_storage_name }));
    if (made !== UNKNOWN && made.status !== 201 && !made.text.includes('is read-only') && isSteady(world, times)) {
      world.wrong.push(`move: ${made.status} ${made.text}`);
    }
    await until(`the move of project ${project.id} is over`, async () => {
      const answer = await ask(world, (url) => apiClient(url, ROOT_TOKEN)<{ state: string }[]>('GET', path));
      if (answer === UNKNOWN || answer.status !== 200) return false;
      return answer.body.every(({ state }) => !['scheduled', 'started'].includes(state));
    });
  }
}

/** Kills the server at random instants, and starts it again. */
async function kills(lab: Lab, world: World, start: () => Promise<ServerProcess>, done: () => number): Promise<number> {
  let killed = 0;
  for (; killed < KILLS; killed += 1) {
    const next = ((killed + 1) * MOVES) / (KILLS + 1);
    while (done() < next) await sleep(10);
    await sleep(Math.random() * 250);
    world.times += 1;
    await world.server.kill();
    world.server = await start();
    world.times += 1;
  }
  lab.say(`${killed} kills`);
  return killed;
}

const experiment: Experiment = {
  title: `${MOVES} moves between storages under load, with ${KILLS} kills`,
  run: async (lab) => {
    const dataDir = join(lab.folder, 'data');
    const storages = ['a', 'b'].map((name) => join(lab.folder, name));
    const settings = {
      ...(await lab.newDatabase()),
      STITHY_STORAGES: `default=${storages[0]},second=${storages[1]}`,
    };
    const start = () => lab.start(dataDir, settings);
    const world: World = {
      server: await start(),
      times: 0,
      going: true,
      projects: [],
      counts: { commits: 0, pushes: 0, clones: 0, reads: 0, tags: 0, refused: 0 },
      wrong: [],
    };
    const first = apiClient(world.server.url, ROOT_TOKEN);
    const branches: Branch[] = [];
    const tags = new Map<string, string>();
    for (let count = 0; count < PROJECTS; count += 1) {
      const project = await projectWithWork(first, `p${count}`);
      world.projects.push(project);
      for (let file = 0; file < 15; file += 1) await commitFile(first, project.at, 'main', `file-${file}.txt`);
      const to = (name: string): Branch => ({ project, name, acknowledged: null, maybe: false });
      branches.push(to('commits'), to('pushes'));
    }
    const records = recordsOf(dataDir, settings);
    const moveCount = async () =>
      Number((await records.query<{ n: number }>('select count(*) as n from repository_storage_moves'))[0]!.n);
    let scheduled = 0;
    const counting = (async () => {
      while (world.going) {
        scheduled = await moveCount();
        await sleep(20);
      }
    })();
    const workers: Promise<void>[] = [];
    for (const branch of branches) {
      if (branch.name === 'commits') workers.push(commits(world, branch, tags));
      else if (branch.project.id % 2 === 0) {
        const work = join(lab.folder, `work-${branch.project.id}`);
        await mustGit(lab.folder, [
          'clone',
          '--quiet',
          cloneUrl(world.server.url, branch.project.fullPath, ROOT_TOKEN),
          work,
        ]);
        workers.push(pushes(world, branch, work));
      }
    }
    const clones = join(lab.folder, 'clones');
    await mkdir(clones);
    workers.push(reads(world, clones));
    const moving = world.projects.map((project) => moves(world, project, () => scheduled < MOVES));
    await Promise.all([kills(lab, world, start, () => scheduled), ...moving]);
    world.going = false;
    await Promise.all([...workers, counting]);
    assert.deepEqual(world.wrong, []);
    await until('all moves are finished', async () => {
      const open = await records.query(
        "select id from repository_storage_moves where state not in ('finished', 'failed')",
      );
      const jobs = await records.query("select id from jobs where kind like 'storage_move.%'");
      return open.length + jobs.length === 0;
    });
    const states = await records.query<{ state: string; n: number }>(
      'select state, count(*) as n from repository_storage_moves group by state',
    );
    assert.deepEqual(
      states.map(({ state }) => state),
      ['finished'],
    );
    lab.say(
      `${states[0]!.n} moves finished; ${Object.entries(world.counts)
        .map(([what, n]) => `${n} ${what}`)
        .join(', ')}`,
    );
    assert.deepEqual(await records.query('select id from projects where repository_read_only = 1'), []);
    // A job whose process was killed in each of its attempts is dead, and runs again when somebody says so.
    const dead = await records.query<{ last_error: string }>("select last_error from jobs where state = 'dead'");
    for (const { last_error } of dead) assert.match(last_error, /the process ended during every attempt/);
    if (dead.length > 0) {
      const { code } = await stithy(['jobs', 'retry', '--all'], { STITHY_DATA_DIR: dataDir, ...settings });
      assert.equal(code, 0);
      await until('jobs that kills had ended have run', async () => {
        const open = "select id from jobs where state in ('dead', 'running') or (state = 'waiting' and attempts > 0)";
        return (await records.query(open)).length === 0;
      });
      lab.say(`${dead.length} jobs were killed in every attempt, and ran again`);
    }
    await world.server.stop();
    await look(lab, world, branches, tags, settings.STITHY_STORAGES, records);
    const { code, stdout, stderr } = await stithy(['doctor'], { STITHY_DATA_DIR: dataDir, ...settings });
    assert.equal(code, 0, stdout + stderr);
  },
};

/** Every repository has what was acknowledged, is sound, and nothing else is on the storages. */
async function look(
  lab: Lab,
  world: World,
  branches: readonly Branch[],
  tags: ReadonlyMap<string, string>,
  storages: string,
  records: ReturnType<typeof recordsOf>,
): Promise<void> {
  const paths = new Map(storages.split(',').map((each) => each.split('=') as [string, string]));
  const rows = await records.query<{ id: number; repository_storage: string; disk_path: string }>(
    'select id, repository_storage, disk_path from projects',
  );
  const remaining: string[] = [];
  for (const { id, repository_storage, disk_path } of rows) {
    const dir = join(paths.get(repository_storage)!, `${disk_path}.git`);
    remaining.push(dir);
    await mustGit(dir, ['fsck', '--full', '--strict', '--no-dangling']);
    const listed = await mustGit(dir, ['for-each-ref', '--format=%(objectname) %(refname)']);
    const refs = new Map(listed.split('\n').map((line) => line.split(' ').reverse() as [string, string]));
    for (const { project, name, acknowledged, maybe } of branches) {
      if (project.id !== Number(id) || acknowledged === null) continue;
      const head = refs.get(`refs/heads/${name}`)!;
      if (maybe) await mustGit(dir, ['merge-base', '--is-ancestor', acknowledged, head]);
      else assert.equal(head, acknowledged, `${name} of project ${id}`);
    }
    for (const [key, oid] of tags) {
      const [project, tag] = key.split(' ');
      if (project === String(id)) assert.equal(refs.get(`refs/tags/${tag}`), oid, key);
    }
    for (const ref of ['refs/heads/main', 'refs/heads/topic', 'refs/tags/v1', 'refs/merge-requests/1/head']) {
      assert.ok(refs.has(ref), `${ref} of project ${id}`);
    }
  }
  const onDisk: string[] = [];
  for (const path of paths.values()) {
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      const isRepository =
        entry.isDirectory() && (/\.git$/.test(entry.name) || /^\.(?:making|removing)-/.test(entry.name));
      if (isRepository) onDisk.push(join(entry.parentPath, entry.name));
    }
  }
  assert.deepEqual(onDisk.sort(), remaining.sort());
  lab.say(`${world.projects.length} repositories are as acknowledged and sound; nothing else is on the storages`);
}

export default experiment;
