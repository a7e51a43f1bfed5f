import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { BoundedCache, CacheBudget, EntryCache } from '../core/cache/index.ts';
import { registerCacheMetrics } from './cache-metrics.ts';

test('each cache tells hits, misses and evictions since the start, and bytes only where it is bounded by them', async () => {
  const registry = new Registry();
  registerCacheMetrics(registry);
  const scrape = async (metric: string, cache: string) => {
    const line = new RegExp(`^stithy_cache_${metric}\\{cache="${cache}"\\} (\\d+)$`, 'm').exec(
      await registry.metrics(),
    );
    return line === null ? null : Number(line[1]);
  };
  const counts = async (cache: string) =>
    await Promise.all(['hits_total', 'misses_total', 'evictions_total', 'bytes'].map((each) => scrape(each, cache)));
  const budget = new CacheBudget(1_000, 1_000);
  const bytes = new BoundedCache<string, number>('changelogs', (value) => value, { bytes: 1_000, budget });
  const entries = new EntryCache<string, number>('workflow_filters', { entries: 1 });
  const [before, counted] = [await counts('changelogs'), await counts('workflow_filters')];
  for (const cache of [bytes, entries]) {
    cache.set('a', 100);
    cache.set('b', 100);
    cache.get('a');
    cache.get('b');
    cache.get('c');
  }
  const since = (now: (number | null)[], then: (number | null)[]) => now.map((value, at) => value! - (then[at] ?? 0));
  assert.deepEqual(since(await counts('changelogs'), before), [2, 1, 0, 200]);
  assert.deepEqual(since((await counts('workflow_filters')).slice(0, 3), counted), [1, 2, 1]);
  assert.equal(await scrape('bytes', 'workflow_filters'), null);
  // The next scrape counts nothing twice.
  assert.deepEqual(since(await counts('changelogs'), before), [2, 1, 0, 200]);
});
