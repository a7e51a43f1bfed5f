/**
 * Causes faults on purpose and looks whether the server bears them: `npm run test:faults`, or
 * `node test/faults/run.ts [--sqlite | --postgres] [experiment ...]`. Without a name all of experiments/ run.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/runner/postgres.ts';
import type { Engine, Experiment } from './experiment.ts';
import { openLab } from './lab.ts';

/** No experiment takes anywhere near as long, but on a machine that is busy with others. */
const MAX_MS = 1_800_000;
const folder = join(import.meta.dirname, 'experiments');

/** @throws Error for a name that is none */
async function load(names: readonly string[]): Promise<Map<string, Experiment>> {
  const all = globSync('*.ts', { cwd: folder }).map((file) => basename(file, '.ts'));
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`There is no experiment ${unknown}. There are: ${all.sort().join(', ')}.`);
  const experiments = new Map<string, Experiment>();
  for (const name of all.filter((name) => names.length === 0 || names.includes(name)).sort()) {
    const module = (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as { default: Experiment };
    experiments.set(name, module.default);
  }
  return experiments;
}

/** Runs one experiment. @returns whether everything held */
async function carryOut(name: string, experiment: Experiment, engine: Engine): Promise<boolean> {
  process.stdout.write(`\n${name} (${engine}): ${experiment.title}\n`);
  const lab = await openLab(engine, (text) => process.stdout.write(`  ${text}\n`));
  const started = Date.now();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not end')), experiment.maxMs ?? MAX_MS);
  });
  let problem: string | null = null;
  try {
    await Promise.race([experiment.run(lab), tooLong]);
  } catch (error) {
    problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  clearTimeout(timer);
  await lab.close(problem !== null);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (problem === null) process.stdout.write(`  passed, ${seconds} s\n`);
  else process.stdout.write(`  FAILED, ${seconds} s; its folder is kept: ${lab.folder}\n${problem}\n`);
  return problem === null;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { sqlite: { type: 'boolean', default: false }, postgres: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const both = values.sqlite === values.postgres;
  const engines: Engine[] = (['sqlite', 'postgres'] as const).filter((engine) => both || values[engine]);
  const experiments = await load(positionals);
  const failed: string[] = [];
  let passed = 0;
  for (const engine of engines) {
    const mine = [...experiments].filter(([, { engines: about }]) => about?.includes(engine) ?? true);
    if (mine.length === 0) continue;
    const server = engine === 'postgres' ? await startPostgres() : null;
    process.env.STITHY_TEST_POSTGRES = server?.url ?? '';
    try {
      for (const [name, experiment] of mine) {
        if (await carryOut(name, experiment, engine)) passed += 1;
        else failed.push(`${name} (${engine})`);
      }
    } finally {
      await server?.stop();
    }
  }
  if (failed.length > 0) process.stdout.write(`\nFailed: ${failed.join(', ')}\n`);
  process.stdout.write(`\n${passed} passed, ${failed.length} failed\n`);
  return failed.length > 0 || passed === 0 ? 1 : 0;
}

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled');
process.exitCode = await main();
