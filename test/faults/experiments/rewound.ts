import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import type { KnownHashes } from '../../support/whole-state.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { type LiveMemory, liveMemory } from '../live-memory.ts';
import { Crowd } from '../rewinding/crowd.ts';
import { cutOffClone } from '../rewinding/halted-clone.ts';
import { answersOf, assertSame, beside, exportOf, lookAtAll } from '../rewinding/picture.ts';
import { change } from '../rewinding/rewound-changes.ts';
import { makeWorld, type World } from '../rewinding/rewound-world.ts';

const ROUNDS = Number(process.env.STITHY_REWOUND_ROUNDS ?? 60);
const PROJECTS = 20;
const CLIENTS = 4;
/** Longest time that clients have in a round before the restore, in milliseconds. */
const LONGEST_MS = 400;
/** Rounds between two lines about the progress, two measurements, two whole looks with an export, two clones that are cut off, and two looks with git. */
const EVERY = { tell: 10, measure: 50, export: 50, clone: 50, git: 5 };
/** Repositories whose refs git reads in some other rounds. */
const LOOKED_AT = 4;
/** Rounds after which nothing may grow any more but by so much: code is compiled, and compiled again, for hundreds of them. */
const SETTLED = Math.min(400, Math.ceil(ROUNDS / 2));
const MORE = { megabytes: 40, heap: 6, buffers: 20, descriptors: 15, diskMegabytes: 20, databaseMegabytes: 60 };

interface Gauges {
  megabytes: number;
  heap: number;
  buffers: number;
  descriptors: number;
  diskMegabytes: number;
  databaseMegabytes: number;
}

async function gauge(pid: number, dataDir: string, config: Config, memory: LiveMemory): Promise<Gauges> {
  const status = () => readFileSync(`/proc/${pid}/status`, 'latin1');
  // It fails for files that are removed meanwhile, and counts all others.
  const { stdout: du } = spawnSync('du', ['-sk', dataDir], { encoding: 'utf8' });
  const live = await memory.of(pid);
  let databaseMegabytes = 0;
  if (config.database.kind === 'postgres') {
    const { rows } = await beside(config, (db) =>
      sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db),
    );
    databaseMegabytes = Math.round(Number(rows[0]!.bytes) / 2 ** 20);
  }
  return {
    megabytes: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status())![1]) / 1024),
    ...live,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    diskMegabytes: Math.round(Number(du.split('\t')[0]) / 1024),
    databaseMegabytes,
  };
}

const part = (list: readonly number[], share: number): string =>
  (list.toSorted((one, other) => one - other)[Math.floor(list.length * share)] ?? Number.NaN).toFixed(1);

/** Restores the snapshot. @returns how long it took, in milliseconds */
async function restore({ bench }: World): Promise<number> {
  const begun = performance.now();
  await bench('POST', 'snapshots/seeded/restore');
  return performance.now() - begun;
}

/** Ways in which a restore comes upon clients. After it nothing may be under way, so that nothing has changed again. */
const WAYS = {
  /** Everybody is cut off meanwhile; what comes later is refused. */
  cut: async (world: World, crowd: Crowd): Promise<number> => {
    await world.clock.hold();
    await world.bench('POST', 'faults', { match: {}, act: { status: 503 } });
    const restoring = restore(world);
    await sleep(randomInt(30));
    await crowd.halt(true);
    return await restoring;
  },
  /** What is under way ends first; what comes later is refused. */
  refused: async (world: World, crowd: Crowd): Promise<number> => {
    await Promise.all([world.clock.hold(), world.ssh.hold()]);
    await world.bench('POST', 'faults', { match: {}, act: { status: 503 } });
    const took = await restore(world);
    await crowd.halt(true);
    return took;
  },
  /** Clients go on; then comes another restore without them. */
  free: async (world: World, crowd: Crowd): Promise<number> => {
    const took = await restore(world);
    await crowd.halt(false);
    await restore(world);
    return took;
  },
} as const;

type Way = keyof typeof WAYS;
const wayOf = (round: number): Way => (['cut', 'free', 'cut', 'refused'] as const)[round % 4]!;

async function rewind(lab: Lab): Promise<void> {
  const memory = liveMemory(lab);
  const dataDir = join(lab.folder, 'data');
  const database = await lab.newDatabase();
  const settings = { ...database, STITHY_BENCH: '1', STITHY_SYNC: 'off', STITHY_SSH_PORT: '0' };
  const local = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
  const server = await lab.start(dataDir, { ...settings, ...local, ...memory.settings });
  const world = await makeWorld(server, lab.folder, PROJECTS);
  const { config } = loadConfig({ ...settings, STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: ROOT_TOKEN });
  const folder = (name: string) => {
    mkdirSync(join(lab.folder, name));
    return join(lab.folder, name);
  };
  const spots = Array.from({ length: CLIENTS }, (_, number) => ({ folder: folder(`client-${number}`), number }));
  try {
    await world.bench('PUT', 'clock', { now: '2030-01-01T12:00:00Z', frozen: true });
    // Reads may write as well, once: that a token was used, and graphs of histories.
    for (let times = 0; times < 2; times += 1) await answersOf(world);
    await world.bench('POST', 'clock/advance', { seconds: 0 });
    const begun = performance.now();
    const { bytes } = await world.bench<{ bytes: number }>('POST', 'snapshots', { name: 'seeded' });
    lab.say(`taken in ${(performance.now() - begun).toFixed(1)} ms: ${(bytes / 1e6).toFixed(1)} MB`);
    const before = await lookAtAll(config);
    const answers = await answersOf(world);
    const exported = await exportOf(world, lab.folder);
    await restore(world);

    const crowd = new Crowd(CLIENTS, (number, cut) => change(world, spots[number]!, cut));
    const times: Record<Way, number[]> = { cut: [], refused: [], free: [] };
    const hashes: KnownHashes = new Map();
    let settled: Gauges | null = null;
    let last: Gauges | null = null;
    for (let round = 1; round <= ROUNDS; round += 1) {
      await sleep(randomInt(LONGEST_MS));
      const way = wayOf(round);
      if (round % EVERY.clone === 0) {
        const kind = (round / EVERY.clone) % 2 === 0 ? 'ssh' : 'http';
        await crowd.halt(true);
        await cutOffClone(world, lab.folder, kind, async () => void (await restore(world)));
        await restore(world);
      } else times[way].push(await WAYS[way](world, crowd));
      const isWhole = round % EVERY.export === 0 || round === ROUNDS;
      const repositories = round % EVERY.git === 0 ? LOOKED_AT : 0;
      const now = await (isWhole ? lookAtAll(config) : lookAtAll(config, repositories, hashes));
      assertSame(now, before, `round ${round} (${way})`);
      await world.bench('DELETE', 'faults');
      const asked = await answersOf(world, [world.projects[round % PROJECTS]!]);
      const expected = Object.fromEntries(Object.keys(asked).map((path) => [path, answers[path]]));
      assert.deepEqual(asked, expected, `round ${round} (${way})`);
      if (isWhole) {
        assert.deepEqual(await exportOf(world, lab.folder), exported, `round ${round}`);
        await restore(world);
      }
      if (round % EVERY.measure === 0 || round === ROUNDS) {
        last = await gauge(server.child.pid!, dataDir, config, memory);
        if (round <= SETTLED || settled === null) settled = last;
        lab.say(`round ${round}, ${crowd.count} changes: ${JSON.stringify(last)}`);
      }
      if (round % EVERY.tell === 0) lab.say(`${new Date().toISOString()} round ${round}, ${crowd.count} changes`);
      for (const one of [world.clock, world.ssh, crowd]) one.goOn();
    }
    await crowd.end();
    for (const [way, list] of Object.entries(times))
      lab.say(`restored (${way}): median ${part(list, 0.5)} ms, p99 ${part(list, 0.99)} ms, ${list.length} times`);
    for (const name of Object.keys(MORE) as (keyof Gauges)[])
      assert.ok(last![name] <= settled![name] + MORE[name], `${name}: ${settled![name]} early, ${last![name]} late`);
  } finally {
    world.close();
  }
}

export default {
  title: `${ROUNDS} rounds of changes and restores beside ${CLIENTS} clients: everything is as before, and nothing leaks`,
  maxMs: 600_000 + ROUNDS * 20_000,
  run: rewind,
} satisfies Experiment;
