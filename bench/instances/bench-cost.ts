import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../figures.ts';
import { median } from '../git.ts';
import { load } from '../load.ts';
import { type BenchServer, startServer, TOKEN } from '../server.ts';

const PORTS = { off: 18_796, on: 18_797 };
const [PAIRS, ROUNDS, SECONDS] = [4, 4, 1.5];
const SEED = {
  projects: [
    {
      path: 'web',
      namespace: 'root',
      commits: [{ files: { 'a.txt': 'text of a file\n'.repeat(500) } }],
      issues: [{ title: 'Task {n}', count: 20 }],
    },
  ],
};
const READS = {
  'a file of 8 kB': { path: '/api/v4/projects/1/repository/files/a.txt?ref=main', everyMs: 8 },
  '20 issues': { path: '/api/v4/projects/1/issues?per_page=20', everyMs: 40 },
};

/** Processor time of all threads of a process in microseconds: the clock ticks of a process are too coarse. */
async function processorUs(pid: number): Promise<number> {
  let nanoseconds = 0;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    nanoseconds += Number(stat.split(' ', 1)[0]);
  }
  return nanoseconds / 1_000;
}

/** Where something is read, and how often by each connection. */
type Read = (typeof READS)[keyof typeof READS];

/**
 * Processor time of a request in microseconds, at a fixed rate: a busy server also pays for waking its clients, the more
 * often the slower it is.
 */
async function timeOf({ url, child }: BenchServer, { path, everyMs }: Read): Promise<number> {
  const before = await processorUs(child.pid!);
  const { sizes } = await load(url + path, { 'PRIVATE-TOKEN': TOKEN }, { seconds: SECONDS, everyMs });
  return ((await processorUs(child.pid!)) - before) / sizes.length;
}

interface Times {
  without: number;
  with: number;
}

/** Times of two servers in turns. */
async function ofPair(folder: string, seed: string, reads: readonly Read[]): Promise<Times[][]> {
  const off = await startServer(join(folder, 'off'), PORTS.off, [], { STITHY_SEED: seed });
  const on = await startServer(join(folder, 'on'), PORTS.on, [], { STITHY_SEED: seed, STITHY_BENCH: '1' });
  try {
    const all: Times[][] = [];
    for (const read of reads) {
      for (const server of [off, on]) await timeOf(server, { ...read, everyMs: 0 });
      const times: Times[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        times.push({ without: await timeOf(off, read), with: await timeOf(on, read) });
      all.push(times);
    }
    return all;
  } finally {
    await Promise.all([off.stop(), on.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What the test bench costs a warm read that no rule is about: against a server without one, in turns. Of several pairs,
 * since a process can be slower than its twin for as long as it lives.
 */
export async function benchCost(folder: string): Promise<Figure[]> {
  const seed = `${folder}-small.json`;
  await writeFile(seed, JSON.stringify(SEED));
  const pairs: Times[][][] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) pairs.push(await ofPair(folder, seed, Object.values(READS)));
  return Object.keys(READS).map((name, at) => {
    const times = pairs.flatMap((reads) => reads[at]!);
    const [more, less] = [median(times.map((each) => each.with)), median(times.map((each) => each.without))];
    const value = 100 * (more / less - 1);
    return {
      name: `processor time that \`--bench\` adds to a warm read that no rule matches, ${name}, %`,
      measured: `${value.toFixed(1)} (${more.toFixed(0)} instead of ${less.toFixed(0)} µs)`,
      value,
      limit: 5,
      better: 'less',
    };
  });
}
