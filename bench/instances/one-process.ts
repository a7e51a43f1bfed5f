import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../figures.ts';

interface Measured {
  firstMs: number;
  secondMs: number;
  laterMs: number;
  slowestMs: number;
  emptyMb: number;
  seedMs: number;
  seededMb: number;
  totalMb: number;
  answered: number;
}

/** A hundred servers in one process: what a further one takes, and what all take together. */
export async function oneProcess(): Promise<Figure[]> {
  const run = promisify(execFile);
  // Any command makes the bundle where it is older than the sources.
  await run(process.execPath, [join(import.meta.dirname, '../../bin/stithy.js'), 'version']);
  const program = join(import.meta.dirname, 'one-process.program.ts');
  const { stdout } = await run(process.execPath, ['--expose-gc', program]);
  const measured = JSON.parse(stdout) as Measured;
  const { firstMs, secondMs, laterMs, slowestMs, emptyMb, seedMs, seededMb, totalMb, answered } = measured;
  const further = Math.max(secondMs, laterMs);
  return [
    {
      name: 'start of a second server in a process, and of the third to hundredth',
      measured: `${secondMs.toFixed(0)} ms; median ${laterMs.toFixed(0)}, slowest ${slowestMs.toFixed(0)} ms (first ${firstMs.toFixed(0)} ms; with a small seed ${seedMs.toFixed(0)} ms)`,
      value: further,
      limit: 60,
      better: 'less',
    },
    {
      name: 'memory of a further server, MB',
      measured: `${emptyMb.toFixed(1)}; seeded and asked ${seededMb.toFixed(1)}`,
      value: Math.max(emptyMb, seededMb),
      limit: 12,
      better: 'less',
    },
    {
      name: 'memory of a process with 100 seeded servers that were all asked, MB',
      measured: `${totalMb.toFixed(0)} (${answered} answered)`,
      value: answered === 100 ? totalMb : Number.POSITIVE_INFINITY,
      limit: 1_500,
      better: 'less',
    },
  ];
}
