import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, apiClient } from '../../support/api-client.ts';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import { type HookReceiver, receiveHooks } from '../../support/hook-receiver.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, type MadeProject, projectWithWork, recordsOf } from '../projects.ts';
import { stithy } from '../stithy.ts';
import { until } from '../until.ts';

const KILLS = 30;
const PROJECTS = 4;
/** Nothing may be locked, read-only or interrupted for longer, however many kills come meanwhile. */
const MAX_HELD_MS = 100_000;
/** Settings may be so old elsewhere. */
const STALE_MS = 1_000;
const PAUSE_MS = 50;
const LOOK_MS = 200;

interface Change {
  ref: string;
  old: string | null;
  new: string | null;
}

type Count = 'merges' | 'commits' | 'pushes' | 'moves' | 'settings';

interface World {
  servers: ServerProcess[];
  /** Counted up before each kill and after each start: odd while one of the servers is not there. */
  times: number;
  going: boolean;
  counts: Record<Count, number>;
  wrong: string[];
}

type Records = ReturnType<typeof recordsOf>;

const one = (world: World): ServerProcess => world.servers[Math.random() < 0.5 ? 0 : 1]!;

/** Asks one of the servers; null where it was killed meanwhile. What no kill explains is noted. */
async function ask<T>(
  world: World,
  method: string,
  path: string,
  body?: unknown,
  server = one(world),
): Promise<ApiAnswer<T> | null> {
  try {
    const answer = await apiClient(server.url, ROOT_TOKEN)<T>(method, path, body);
    if (answer.status >= 500 && answer.status !== 503)
      world.wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  } catch {
    await sleep(PAUSE_MS);
    return null;
  }
}

/** Makes branches, and merges them. */
async function merges(world: World, { at }: MadeProject): Promise<void> {
  for (let count = 0; world.going; count += 1) {
    const source_branch = `merge-${count}`;
    const actions = [{ action: 'create', file_path: `merged-${count}`, content: 'x' }];
    const start = { branch: source_branch, start_branch: 'main', commit_message: 'x', actions };
    await ask(world, 'POST', `${at}/repository/commits`, start);
    const order = { source_branch, target_branch: 'main', title: source_branch };
    const made = await ask<{ iid: number }>(world, 'POST', `${at}/merge_requests`, order);
    for (let tries = 0; made?.status === 201 && world.going && tries < 20; tries += 1) {
      const merged = await ask<{ state: string }>(world, 'PUT', `${at}/merge_requests/${made.body.iid}/merge`);
      if (merged?.status === 200) {
        world.counts.merges += 1;
        break;
      }
      await sleep(250);
    }
  }
}

/** Commits to one branch through either server. */
async function commits(world: World, { at }: MadeProject): Promise<void> {
  for (let count = 0; world.going; count += 1) {
    const actions = [{ action: 'create', file_path: `commit-${count}-${Math.random()}`, content: 'x' }];
    const answer = await ask(world, 'POST', `${at}/repository/commits`, {
      branch: 'topic',
      commit_message: 'x',
      actions,
    });
    if (answer?.status === 201) world.counts.commits += 1;
    await sleep(PAUSE_MS);
  }
}

/** Pushes to a branch of its own through either server; what was interrupted is pushed again. */
async function pushes(world: World, project: MadeProject, work: string): Promise<void> {
  for (let count = 0; world.going; count += 1) {
    await mustGit(work, ['commit', '--quiet', '--allow-empty', '-m', `${count}`]);
    const remote = cloneUrl(one(world).url, project.fullPath, ROOT_TOKEN);
    const { code } = await runGitClient(work, ['push', '--quiet', remote, 'HEAD:refs/heads/pushed']);
    if (code === 0) world.counts.pushes += 1;
    await sleep(PAUSE_MS);
  }
}

/** Moves a project to and fro. */
async function moves(world: World, { at }: MadeProject): Promise<void> {
  for (let count = 0; world.going; count += 1) {
    const destination_storage_name = count % 2 === 0 ? 'second' : 'default';
    const moved = await ask(world, 'POST', `${at}/repository_storage_moves`, { destination_storage_name });
    if (moved?.status === 201) world.counts.moves += 1;
    await sleep(1_000);
  }
}

/** Changes what decides a right through one server, and asks the other a second later. */
async function settings(world: World): Promise<void> {
  for (let count = 0; world.going; count += 1) {
    const { times } = world;
    const allowed = count % 2 === 1;
    const [here, there] = count % 4 < 2 ? [0, 1] : [1, 0];
    const change = { allow_runner_registration_token: allowed };
    const changed = await ask(world, 'PUT', '/application/settings', change, world.servers[here]);
    await sleep(STALE_MS);
    const answer = await ask(world, 'POST', '/runners', { token: 'none' }, world.servers[there]);
    if (changed?.status !== 200 || answer === null || times !== world.times || times % 2 === 1) continue;
    world.counts.settings += 1;
    if ((answer.status === 410) !== !allowed) world.wrong.push(`settings: ${allowed} is ${answer.status} elsewhere`);
  }
}

/** What was locked, read-only or interrupted, for how long, and how many kills there were meanwhile. */
interface Spell {
  name: string;
  ms: number;
  kills: number;
}

/** Looks what is locked or read-only. @returns what was so for longest, and for longest after the last kill that it saw */
async function watch(world: World, records: Records): Promise<{ longest: Spell; afterKill: Spell }> {
  const since = new Map<string, { at: number; times: number; killAt: number; killTimes: number }>();
  const none: Spell = { name: 'nothing', ms: 0, kills: 0 };
  let [longest, afterKill] = [none, none];
  while (world.going) {
    const held = await records.query<{ held: string }>(
      `select 'merge ' || id || ' ' || locked_at as held from merge_requests where state = 'locked'
       union all select 'project ' || id as held from projects where repository_read_only = 1
       union all select 'intent ' || id as held from ref_intents`,
    );
    const now = performance.now();
    const names = new Set(held.map(({ held }) => held));
    for (const name of [...since.keys()]) if (!names.has(name)) since.delete(name);
    const { times } = world;
    for (const name of names) {
      const seen = since.get(name) ?? { at: now, times, killAt: now, killTimes: times };
      // Every kill may be that of whoever was about to settle it.
      if (seen.killTimes !== times && times % 2 === 1) Object.assign(seen, { killAt: now, killTimes: times });
      since.set(name, seen);
      const kills = Math.ceil((times - seen.times) / 2);
      if (now - seen.at > longest.ms) longest = { name, ms: now - seen.at, kills };
      if (now - seen.killAt > afterKill.ms) afterKill = { name, ms: now - seen.killAt, kills };
    }
    await sleep(LOOK_MS);
  }
  return { longest, afterKill };
}

const seconds = ({ ms }: Spell): string => `${(ms / 1_000).toFixed(1)} s`;

/** Whether changes of each ref join, one after the other. @returns how many there were */
function inOrder(changes: readonly Change[], what: string): number {
  const last = new Map<string, string | null>();
  for (const { ref, old, new: oid } of changes) {
    if (last.has(ref)) assert.equal(old, last.get(ref), `${what}: ${ref}`);
    last.set(ref, oid);
  }
  return changes.length;
}

const ZEROS = /^0+$/;
const oidOf = (value: unknown): string | null => (ZEROS.test(String(value)) ? null : String(value));

/** What a project's hook was told of its branches, the repeated left out. */
function deliveredChanges({ calls }: HookReceiver, { id }: MadeProject): Change[] {
  const seen = new Set<unknown>();
  const own = calls.filter(({ path, headers }) => {
    const key = headers['idempotency-key'];
    if (path !== `/${id}` || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return own.map(({ body }) => ({ ref: String(body.ref), old: oidOf(body.before), new: oidOf(body.after) }));
}

const experiment: Experiment = {
  title: `${KILLS} kills of two processes on one database, under merges, moves, pushes and hooks`,
  engines: ['postgres'],
  run: async (lab) => {
    const receiver = await receiveHooks({ keepAlive: true });
    const dataDir = join(lab.folder, 'data');
    const environment = {
      ...(await lab.newDatabase()),
      STITHY_ALLOW_LOCAL_NETWORK: 'true',
      STITHY_STORAGES: `default=${join(lab.folder, 'a')},second=${join(lab.folder, 'b')}`,
    };
    const start = () => lab.start(dataDir, environment);
    const world: World = {
      servers: [await start(), await start()],
      times: 0,
      going: true,
      counts: { merges: 0, commits: 0, pushes: 0, moves: 0, settings: 0 },
      wrong: [],
    };
    const call = apiClient(world.servers[0]!.url, ROOT_TOKEN);
    const records = recordsOf(dataDir, environment);
    const projects: MadeProject[] = [];
    const workers: Promise<void>[] = [];
    for (let count = 0; count < PROJECTS; count += 1) {
      const project = await projectWithWork(call, `p${count}`);
      projects.push(project);
      await commitFile(call, project.at, 'main', 'more.txt');
      await call('POST', `${project.at}/hooks`, { url: `${receiver.url}/${project.id}`, push_events: true });
      const work = join(lab.folder, `work-${count}`);
      await mustGit(lab.folder, [
        'clone',
        '--quiet',
        cloneUrl(world.servers[0]!.url, project.fullPath, ROOT_TOKEN),
        work,
      ]);
      workers.push(commits(world, project), count < 2 ? merges(world, project) : pushes(world, project, work));
      if (count % 2 === 0) workers.push(moves(world, project));
    }
    workers.push(settings(world));
    const watching = watch(world, records);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(1_500 + Math.random() * 1_500);
      const at = kill % 2;
      world.times += 1;
      await world.servers[at]!.kill();
      world.servers[at] = await start();
      world.times += 1;
    }
    await sleep(3_000);
    world.going = false;
    await Promise.all(workers);
    const { longest, afterKill } = await watching;
    await until('nothing is locked, read-only or interrupted', async () => {
      const held = await records.query(
        `select id from merge_requests where state = 'locked'
         union all select id from projects where repository_read_only = 1 union all select id from ref_intents`,
      );
      return held.length === 0;
    });
    lab.say(
      `${KILLS} kills; ${Object.entries(world.counts)
        .map(([what, n]) => `${n} ${what}`)
        .join(', ')}`,
    );
    lab.say(
      `held for longest: ${longest.name}, ${seconds(longest)} with ${longest.kills} kills meanwhile; after the last of them: ` +
        `${afterKill.name}, ${seconds(afterKill)}`,
    );
    assert.deepEqual(world.wrong, []);
    assert.ok(longest.ms < MAX_HELD_MS, `${longest.name}: ${seconds(longest)}`);
    for (const [what, count] of Object.entries(world.counts)) assert.ok(count > 0, `no ${what}`);
    let events = 0;
    for (const project of projects) {
      const rows = await records.query<{ payload: string }>(
        `select payload from domain_events where type = 'push' and project_id = ${project.id} order by id`,
      );
      events += inOrder(
        rows.flatMap(({ payload }) => (JSON.parse(payload) as { updates: Change[] }).updates),
        `events of ${project.id}`,
      );
    }
    await until('the hooks have heard of everything', async () => {
      const left = await records.query(
        `select id from jobs where recurring = 0 and state <> 'dead' and (lane in ('hooks', 'retries') or kind like 'event:%')`,
      );
      return left.length === 0;
    });
    let calls = 0;
    for (const project of projects) calls += inOrder(deliveredChanges(receiver, project), `hooks of ${project.id}`);
    lab.say(`${events} changes of refs and ${calls} calls of hooks stand in order`);
    await Promise.all(world.servers.map((server) => server.stop()));
    await receiver.close();
    const { code, stdout, stderr } = await stithy(['doctor'], { STITHY_DATA_DIR: dataDir, ...environment });
    assert.equal(code, 0, stdout + stderr);
  },
};

export default experiment;
