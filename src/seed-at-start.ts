import type { Config } from './config/config.ts';
import { withDeferredFlush } from './deferred-seed-flush.ts';
import { applySeed, applySeedFile, type SeedTarget } from './test-bench/index.ts';

/**
 * Makes what a server begins with; nothing if there is no seed.
 * @throws SeedError
 */
export async function seedAtStart(
  instance: SeedTarget & { readonly firstStart: boolean },
  seed: Config['seed'],
): Promise<void> {
  if (seed === null) return;
  await withDeferredFlush(instance.deps.config, instance.firstStart, () =>
    typeof seed === 'string'
      ? applySeedFile(instance, seed)
      : applySeed(instance, { text: JSON.stringify(seed), file: 'seed', bundles: async () => null }),
  );
}
