import { readFile } from 'node:fs/promises';
import { applySeed, type SeedReport, type SeedTarget } from './seed.apply.ts';
import { problemAt, SeedError } from './seed.error.ts';
import { bundlesBeside } from './seed-bundles.ts';

/**
 * Applies a seed file to a server of this process, before or after it listens: call it before the background work is
 * started, and the same file makes the same instance.
 * @param target an `Instance`; its clock should be a `BenchClock`, so that everything has the dates of the seed
 * @param path of a YAML or JSON file
 * @throws SeedError with a line for each problem: `file:line: path: what is right`
 */
export async function applySeedFile(target: SeedTarget, path: string): Promise<SeedReport> {
  const text = await readSeedFile(path);
  const { bundles, remove } = bundlesBeside(path);
  try {
    return await applySeed(target, { text, file: path, bundles });
  } finally {
    await remove();
  }
}

/** @throws SeedError if it cannot be read */
export async function readSeedFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : (error as Error).message;
    throw new SeedError([problemAt({ file: path, line: 1, path: '' }, reason)]);
  }
}
