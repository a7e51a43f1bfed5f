import { Counter, Gauge, type Registry } from 'prom-client';
import { BYTE_CACHES, type CacheStats, cacheStats } from '../core/cache/index.ts';

const COUNTERS: readonly (readonly [keyof CacheStats, string])[] = [
  ['hits', 'Look-ups in caches of the main thread that found an entry.'],
  ['misses', 'Look-ups in caches of the main thread that found none.'],
  ['evictions', 'Entries evicted from caches of the main thread, for want of room or since nobody used them.'],
];

/** Registers the metrics of all caches of this thread, by name. */
export function registerCacheMetrics(registry: Registry): void {
  const registers = [registry];
  const labelNames = ['cache'];
  for (const [key, help] of COUNTERS) {
    new Counter({
      name: `stithy_cache_${key}_total`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [cache, stats] of cacheStats()) this.inc({ cache }, stats[key]);
      },
    });
  }
  new Gauge({
    name: 'stithy_cache_bytes',
    help: 'Estimated bytes in the caches of the main thread that are bounded by bytes.',
    labelNames,
    registers,
    collect() {
      for (const [cache, { bytes }] of cacheStats()) {
        if (cache in BYTE_CACHES) this.set({ cache }, bytes);
      }
    },
  });
}
