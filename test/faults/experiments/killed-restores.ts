import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import { SNAPSHOT_SCHEMA } from '../../../src/db/dump/catalog.ts';
import { apiClient } from '../../support/api-client.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { KnownHashes } from '../../support/whole-state.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, must, projectWithWork } from '../projects.ts';
import { beside, type Kept, lookAtAll } from '../rewinding/picture.ts';
import { benchOf } from '../rewinding/rewound-world.ts';

/** Rounds between two in which git looks at the repositories. */
const GIT_EVERY = 5;
/** Kills of each kind. */
const KILLS = Number(process.env.STITHY_KILLED_RESTORES ?? 30);
const PROJECTS = 6;
const BRANCHES = 30;
/** Share of the kills during a restore after which the start that completes it is killed as well. */
const TWICE = 0.4;
const SHARED_MEMORY = '/dev/shm';

/** Another file system than that of the data folder, for a second storage; null where there is none. */
function elsewhere(folder: string): string | null {
  const stats = statSync(SHARED_MEMORY, { throwIfNoEntry: false });
  if (stats === undefined || stats.dev === statSync(folder).dev) return null;
  return mkdtempSync(join(SHARED_MEMORY, 'stithy-fault-'));
}

/** Without what each start writes: jobs. */
const withoutJobs = ({ rows, files, refs }: Kept): Kept => ({
  files,
  refs,
  rows: rows.filter((row) => !/^(?:sequence )?jobs /.test(row)),
});

const isSame = (one: Kept, other: Kept): boolean => JSON.stringify(flat(one)) === JSON.stringify(flat(other));
const flat = ({ rows, files, refs }: Kept) => [rows, files, [...refs].sort()];

class Bench {
  server!: ServerProcess;
  readonly #lab: Lab;
  readonly #dataDir: string;
  readonly #settings: Record<string, string>;
  readonly config: Config;
  readonly #hashes: KnownHashes = new Map();

  constructor(lab: Lab, dataDir: string, settings: Record<string, string>) {
    this.#lab = lab;
    this.#dataDir = dataDir;
    this.#settings = settings;
    this.config = loadConfig({ ...settings, STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: ROOT_TOKEN }).config;
  }

  async start(): Promise<void> {
    this.server = await this.#lab.start(this.#dataDir, this.#settings);
    await this.call('GET', 'idle?timeout=30');
  }

  call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return benchOf(this.server.url)(method, path, body);
  }

  /** Begins something, and kills the server so much later. @returns whether it was done by then */
  async killDuring(method: string, path: string, body: unknown, ms: number): Promise<boolean> {
    let done = false;
    const asked = this.call(method, path, body).then(
      () => {
        done = true;
      },
      () => {},
    );
    await sleep(ms);
    const wasDone = done;
    await this.server.kill();
    await asked;
    return wasDone;
  }

  startAndKill(ms: number): Promise<boolean> {
    return this.#lab.startAndKill(this.#dataDir, ms, this.#settings);
  }

  /** @param withGit whether git looks at the repositories as well */
  look = async (withGit = false): Promise<Kept> =>
    withoutJobs(await (withGit ? lookAtAll(this.config) : lookAtAll(this.config, 0, this.#hashes)));

  /** Changes everything a little. */
  async change(name: string): Promise<void> {
    const api = apiClient(this.server.url, ROOT_TOKEN);
    const projects = await must<{ id: number }[]>(api, 'GET', '/projects?simple=true&per_page=100');
    const { id } = projects[randomInt(projects.length)]!;
    await commitFile(api, `/projects/${id}`, 'main', `${name}.txt`);
    await must(api, 'POST', `/projects/${id}/issues`, { title: name });
    await must(api, 'POST', '/projects', { path: name, initialize_with_readme: true });
    if (projects.length > 3) await must(api, 'DELETE', `/projects/${projects.at(-1)!.id}`);
    await this.call('POST', 'clock/advance', { seconds: 0 });
  }

  /** What is left of snapshots that are gone or were never complete. */
  async leftovers(): Promise<string[]> {
    const folder = join(this.#dataDir, 'test-bench/snapshots');
    const left = readdirSync(folder).filter((name) => name.startsWith('.tmp-'));
    if (this.config.database.kind === 'sqlite') return left;
    const { rows } = await beside(this.config, (db) =>
      sql<{ name: string }>`
        select nspname as name from pg_namespace where starts_with(nspname, ${SNAPSHOT_SCHEMA})`.execute(db),
    );
    const complete = readdirSync(folder).length - left.length;
    return rows.length === complete ? left : [...left, `${rows.length} schemas of ${complete} snapshots`];
  }
}

async function seed(bench: Bench): Promise<void> {
  const api = apiClient(bench.server.url, ROOT_TOKEN);
  await bench.call('PUT', 'clock', { now: '2030-01-01T12:00:00Z', frozen: true });
  for (let number = 0; number < PROJECTS; number += 1) {
    const { at } = await projectWithWork(api, `seeded-${number}`);
    for (let branch = 0; branch < BRANCHES; branch += 1)
      await must(api, 'POST', `${at}/repository/branches`, { branch: `b${branch}`, ref: 'main' });
  }
  await bench.call('POST', 'clock/advance', { seconds: 0 });
}

/** Kills while snapshots are taken: the server is as before, and has them wholly or not at all. */
async function killTakes(bench: Bench, say: Lab['say']): Promise<void> {
  let [complete, longest] = [0, 0];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const name = `taken-${kill}`;
    await bench.change(`t${kill}-${randomBytes(3).toString('hex')}`);
    const withGit = kill % GIT_EVERY === 0;
    const before = await bench.look(withGit);
    if (kill === 0) {
      const begun = performance.now();
      await bench.call('POST', 'snapshots', { name: 'measured' });
      longest = 1.3 * (performance.now() - begun);
    }
    const wasDone = await bench.killDuring('POST', 'snapshots', { name }, Math.random() * longest);
    await bench.start();
    const is = await bench.look(withGit);
    assert.deepEqual(is, before, `kill ${kill}: changed by a snapshot`);
    assert.deepEqual(await bench.leftovers(), [], `kill ${kill}`);
    const has = (await bench.call<{ name: string }[]>('GET', 'snapshots')).some((each) => each.name === name);
    assert.ok(has || !wasDone, `kill ${kill}: a snapshot is lost`);
    if (!has) continue;
    complete += 1;
    await bench.change(`u${kill}`);
    await bench.call('POST', `snapshots/${name}/restore`);
    assert.deepEqual(await bench.look(withGit), before, `kill ${kill}: the snapshot holds something else`);
    await bench.call('DELETE', `snapshots/${name}`);
  }
  say(`${KILLS} kills while one was taken, within ${longest.toFixed(0)} ms: ${complete} were complete`);
}

/** Kills while one is restored: the server is as before or as it was restored. */
async function killRestores(bench: Bench, say: Lab['say']): Promise<void> {
  const other = await bench.look();
  await bench.call('POST', 'snapshots', { name: 'other' });
  let [restored, twice, longest] = [0, 0, 0];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const name = `r${kill}-${randomBytes(3).toString('hex')}`;
    for (let times = 0; times < 3; times += 1) await bench.change(`${name}-${times}`);
    const before = await bench.look();
    assert.ok(!isSame(before, other));
    if (kill === 0) {
      await bench.call('POST', 'snapshots', { name: 'changed' });
      const begun = performance.now();
      await bench.call('POST', 'snapshots/other/restore');
      longest = 1.3 * (performance.now() - begun);
      assert.deepEqual(await bench.look(), other);
      await bench.call('POST', 'snapshots/changed/restore');
    }
    const wasDone = await bench.killDuring('POST', 'snapshots/other/restore', undefined, Math.random() * longest);
    if (Math.random() < TWICE) {
      twice += 1;
      await bench.startAndKill(50 + randomInt(500));
    }
    await bench.start();
    const is = await bench.look();
    assert.ok(!wasDone || isSame(is, other), `kill ${kill}: a restore is lost`);
    if (isSame(is, other)) restored += 1;
    else assert.deepEqual(is, before, `kill ${kill}: neither as before nor as restored`);
    assert.deepEqual(await bench.leftovers(), [], `kill ${kill}`);
    await bench.change(`${name}-later`);
  }
  await bench.look(true);
  say(`${KILLS} kills while one was restored, within ${longest.toFixed(0)} ms: ${restored} were restored all the same`);
  say(`${twice} of the starts after them were killed too`);
}

export default {
  title: `${KILLS} kills while snapshots are taken and as many while they are restored: never a mixture`,
  async run(lab) {
    const dataDir = join(lab.folder, 'data');
    const second = elsewhere(lab.folder);
    lab.say(second === null ? 'left out: a storage on another file system' : `with a storage in ${SHARED_MEMORY}`);
    const own = `default=${join(dataDir, 'repositories')}`;
    const storages: Record<string, string> = second === null ? {} : { STITHY_STORAGES: `${own},second=${second}` };
    const bench = new Bench(lab, dataDir, { ...(await lab.newDatabase()), ...storages, STITHY_BENCH: '1' });
    try {
      await bench.start();
      await seed(bench);
      await killTakes(bench, lab.say);
      await killRestores(bench, lab.say);
    } finally {
      if (second !== null) rmSync(second, { recursive: true });
    }
  },
} satisfies Experiment;
