import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/config.ts';
import { connect } from '../../../src/db/database.ts';
import { RepositoryPool, Storages } from '../../../src/git/repository/index.ts';
import { apiClient, type Call } from '../../support/api-client.ts';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { allRefs, wholeState } from '../../support/whole-state.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';

const ROUNDS = Number(process.env.STITHY_REWOUND_ROUNDS ?? 100);
const PROJECTS = 20;
/** Files of half a megabyte that cannot be packed, in each project: 100 MB in all. */
const FILES = 10;
const FILE_BYTES = 512 * 1024;
const CLIENTS = 3;
/** Rounds between two looks at everything. */
const LOOK_EVERY = 50;
/** What a server may have more at the end than after the first tenth. */
const MORE = { megabytes: 60, descriptors: 20, diskMegabytes: 20 };

interface Project {
  id: number;
  path_with_namespace: string;
}

const must = async <T>(call: Call, method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await call<T>(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};

async function seed(call: Call, url: string, folder: string): Promise<Project[]> {
  const projects: Project[] = [];
  for (let count = 0; count < PROJECTS; count += 1) {
    const project = await must<Project>(call, 'POST', '/projects', { name: `seeded-${count}` });
    const tree = join(folder, 'seed');
    const commits = [`commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 2\nx\n`];
    for (let file = 0; file < FILES; file += 1) {
      const text = randomBytes(FILE_BYTES / 2).toString('hex');
      commits.push(`M 100644 inline ${file}.txt\ndata ${text.length}\n${text}\n`);
    }
    await mustGit(folder, ['init', '-q', '--bare', '--initial-branch=main', tree]);
    await mustGit(tree, ['fast-import', '--quiet'], commits.join(''));
    await mustGit(tree, ['push', '-q', cloneUrl(url, project.path_with_namespace, ROOT_TOKEN), 'main', 'main:other']);
    await rm(tree, { recursive: true });
    for (let issue = 0; issue < 10; issue += 1)
      await must(call, 'POST', `/projects/${project.id}/issues`, {
        title: `Issue ${issue}`,
        description: 'x'.repeat(200),
      });
    projects.push(project);
  }
  return projects;
}

/** A few changes of a random kind; what a restore cuts off fails. */
async function change(call: Call, url: string, folder: string, projects: readonly Project[]): Promise<void> {
  const { id, path_with_namespace } = projects[randomInt(projects.length)]!;
  const name = randomBytes(6).toString('hex');
  const kinds: (() => Promise<unknown>)[] = [
    () => call('POST', `/projects/${id}/issues`, { title: name }),
    () => call('POST', '/projects', { name, initialize_with_readme: true }),
    () => call('DELETE', `/projects/${id}`),
    () => call('DELETE', `/projects/${id}/repository/branches/other`),
    () =>
      call('POST', `/projects/${id}/repository/files/${name}`, { branch: 'main', content: name, commit_message: name }),
    () =>
      call('POST', `/projects/${id}/snippets`, { title: name, file_name: 'a', content: name, visibility: 'private' }),
    () => call('POST', `/projects/${id}/wikis`, { title: name, content: name }),
    () => call('PUT', `/projects/${id}`, { description: name }),
    () => call('POST', '/-/bench/clock/advance', { seconds: 60, wait: false }),
    async () => {
      const clone = join(folder, `clone-${name}`);
      await runGitClient(folder, ['clone', '-q', cloneUrl(url, path_with_namespace, ROOT_TOKEN), clone]);
      await rm(clone, { recursive: true, force: true });
    },
    () => call('GET', `/projects/${id}/repository/commits`),
    () => call('GET', '/projects'),
  ];
  await kinds[randomInt(kinds.length)]!().catch(() => {});
}

const status = (pid: number): { megabytes: number; descriptors: number } => ({
  megabytes: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) / 1024),
  descriptors: readdirSync(`/proc/${pid}/fd`).length,
});
const diskMegabytes = (folder: string): number =>
  Math.round(Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024);

const part = (sorted: readonly number[], share: number): string =>
  sorted[Math.floor(sorted.length * share)]!.toFixed(1);

const experiment: Experiment = {
  title: `${ROUNDS} rounds of changes and restores beside ${CLIENTS} clients: everything is as before, and nothing leaks`,
  async run(lab) {
    const settings = { ...(await lab.newDatabase()), STITHY_BENCH: '1', STITHY_SYNC: 'off' };
    const dataDir = join(lab.folder, 'data');
    const server: ServerProcess = await lab.start(dataDir, settings);
    const { url } = server;
    const pid = server.child.pid!;
    const call = apiClient(url, ROOT_TOKEN);
    const bench = async <T>(method: string, path: string, body?: unknown): Promise<{ ms: number; body: T }> => {
      const begun = performance.now();
      const response = await fetch(`${url}/-/bench/${path}`, {
        method,
        headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.ok(response.ok, `${path}: ${response.status} ${text}`);
      return { ms: performance.now() - begun, body: text === '' ? (undefined as T) : (JSON.parse(text) as T) };
    };
    const { config } = loadConfig({ ...settings, STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: ROOT_TOKEN });
    const look = async () => {
      const { db, close } = await connect(config.database);
      try {
        const storages = new Storages(config.storages, new RepositoryPool());
        return { ...(await wholeState({ config, db })), refs: await allRefs({ db, storages }) };
      } finally {
        await close();
      }
    };
    const projects = await seed(call, url, lab.folder);
    await bench('PUT', 'clock', { now: '2030-01-01T12:00:00Z', frozen: true });
    await bench('POST', 'clock/advance', { seconds: 0 });
    const taken = await bench<{ bytes: number }>('POST', 'snapshots', { name: 'seeded' });
    const before = await look();
    let ended = false;
    let paused: PromiseWithResolvers<void> | null = null;
    const resting = new Set<number>();
    const clients = Array.from({ length: CLIENTS }, async (_, number) => {
      while (!ended) {
        if (paused === null) await change(call, url, lab.folder, projects);
        else {
          resting.add(number);
          await paused.promise;
          resting.delete(number);
        }
      }
    });
    const times: number[] = [];
    const alone: number[] = [];
    let early: ReturnType<typeof status> & { diskMegabytes: number } = {
      megabytes: 0,
      descriptors: 0,
      diskMegabytes: 0,
    };
    for (let round = 1; round <= ROUNDS; round += 1) {
      await change(call, url, lab.folder, projects);
      times.push((await bench('POST', 'snapshots/seeded/restore')).ms);
      if (round % LOOK_EVERY === 0 || round === ROUNDS) {
        paused = Promise.withResolvers();
        while (resting.size < CLIENTS) await new Promise((resolve) => setTimeout(resolve, 5));
        for (let more = 0; more < Math.min(LOOK_EVERY, ROUNDS); more += 1) {
          await change(call, url, lab.folder, projects);
          alone.push((await bench('POST', 'snapshots/seeded/restore')).ms);
        }
        assert.deepEqual(await look(), before, `round ${round}`);
        if (round <= Math.max(LOOK_EVERY, ROUNDS / 10))
          early = { ...status(pid), diskMegabytes: diskMegabytes(dataDir) };
        lab.say(`round ${round}: ${JSON.stringify({ ...status(pid), diskMegabytes: diskMegabytes(dataDir) })}`);
        paused.resolve();
        paused = null;
      }
    }
    ended = true;
    await Promise.all(clients);
    for (const list of [times, alone]) list.sort((one, other) => one - other);
    lab.say(`taken in ${taken.ms.toFixed(1)} ms: ${(taken.body.bytes / 1e6).toFixed(1)} MB`);
    for (const [name, list] of Object.entries({ 'beside clients': times, alone }))
      lab.say(
        `restored ${name}: median ${part(list, 0.5)} ms, p99 ${part(list, 0.99)} ms, most ${part(list, 0.9999)} ms`,
      );
    const late = { ...status(pid), diskMegabytes: diskMegabytes(dataDir) };
    for (const name of ['megabytes', 'descriptors', 'diskMegabytes'] as const)
      assert.ok(late[name] <= early[name] + MORE[name], `${name}: ${early[name]} early, ${late[name]} at the end`);
  },
};

export default experiment;
