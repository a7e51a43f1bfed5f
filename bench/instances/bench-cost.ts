import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../figures.ts';
import { median } from '../git.ts';
import { load } from '../load.ts';
import { type BenchServer, startServer, TOKEN } from '../server.ts';
import { processorMs } from '../starts.ts';

const PORTS = { off: 18_796, on: 18_797 };
const ROUNDS = 9;
const SECONDS = 1.5;
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
  'a file of 8 kB': '/api/v4/projects/1/repository/files/a.txt?ref=main',
  '20 issues': '/api/v4/projects/1/issues?per_page=20',
};

/** Processor time of a request in microseconds: the rate depends on what else the machine does. */
async function timeOf({ url, child }: BenchServer, path: string): Promise<number> {
  const before = await processorMs(child.pid!);
  const { sizes } = await load(url + path, { 'PRIVATE-TOKEN': TOKEN }, { seconds: SECONDS });
  return (1_000 * ((await processorMs(child.pid!)) - before)) / sizes.length;
}

/** What the test bench costs a warm read that no rule is about: against a server without one, in turns. */
export async function benchCost(folder: string): Promise<Figure[]> {
  const seed = join(folder, 'small.json');
  await writeFile(seed, JSON.stringify(SEED));
  const off = await startServer(join(folder, 'off'), PORTS.off, [], { STITHY_SEED: seed });
  const on = await startServer(join(folder, 'on'), PORTS.on, [], { STITHY_SEED: seed, STITHY_BENCH: '1' });
  try {
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(READS)) {
      for (const server of [off, on]) await timeOf(server, path);
      const times: { without: number; with: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        times.push({ without: await timeOf(off, path), with: await timeOf(on, path) });
      const value = 100 * (median(times.map((each) => each.with / each.without)) - 1);
      const [more, less] = [times.map((each) => each.with), times.map((each) => each.without)].map(median);
      figures.push({
        name: `processor time that \`--bench\` adds to a warm read that no rule matches, ${name}, %`,
        measured: `${value.toFixed(1)} (${more!.toFixed(0)} instead of ${less!.toFixed(0)} µs)`,
        value,
        limit: 5,
        better: 'less',
      });
    }
    return figures;
  } finally {
    await Promise.all([off.stop(), on.stop()]);
  }
}
