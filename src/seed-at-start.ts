import type { Config } from './config/config.ts';
import { applySeed, applySeedFile, type SeedTarget } from './test-bench/index.ts';

/**
 * Makes what a server begins with; nothing if there is no seed.
 * @throws SeedError
 */
export async function seedAtStart(instance: SeedTarget, seed: Config['seed']): Promise<void> {
  if (seed === null) return;
  if (typeof seed === 'string') await applySeedFile(instance, seed);
  else await applySeed(instance, { text: JSON.stringify(seed), file: 'seed', bundles: async () => null });
}
