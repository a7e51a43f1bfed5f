import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../figures.ts';
import { benchCost } from './bench-cost.ts';
import { oneProcess } from './one-process.ts';
import { restores } from './restores.ts';
import { restoresOnPostgres } from './restores-postgres.ts';
import { seeds } from './seeds.ts';

const PARTS: Readonly<Record<string, (folder: string) => Promise<Figure[]>>> = {
  'one-process': oneProcess,
  seeds,
  restores,
  postgres: restoresOnPostgres,
  cost: benchCost,
};

/**
 * What instances with a test bench take: to start, to be seeded, to go back.
 * @param folder for their data
 * @param only names of parts; all if empty
 */
export async function instances(
  folder: string,
  only: readonly string[],
  tell: (figure: Figure) => void,
): Promise<Figure[]> {
  // Any command makes the bundle where it is older than the sources.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/stithy.js'), 'version']);
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const measured = await measure(folder);
    figures.push(...measured);
    measured.forEach(tell);
  }
  await rm(folder, { recursive: true, force: true });
  return figures;
}
