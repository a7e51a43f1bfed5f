import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedCache } from './bounded-cache.ts';
import { CacheBudget } from './cache-budget.ts';
import { cacheStats } from './cache-stats.ts';
import { EntryCache } from './entry-cache.ts';

/** What was counted of a cache since the last call. */
function counter(name: Parameters<ReturnType<typeof cacheStats>['get']>[0]) {
  const now = () => ({ hits: 0, misses: 0, evictions: 0, bytes: 0, ...cacheStats().get(name) });
  let before = now();
  return () => {
    const last = before;
    before = now();
    const since = (key: keyof typeof before) => before[key] - last[key];
    return [since('hits'), since('misses'), since('evictions'), since('bytes')];
  };
}

test('caches in bytes count look-ups, what they evict, and what they hold, all of one name together', () => {
  const counted = counter('markup');
  const budget = new CacheBudget(1_000, 1_000);
  const make = () => new BoundedCache<string, number>('markup', (bytes) => bytes, { bytes: 1_000, budget });
  const [one, other] = [make(), make()];
  one.set('a', 100);
  other.set('a', 200);
  assert.deepEqual([one.get('a'), other.get('a'), one.get('b')], [100, 200, undefined]);
  assert.deepEqual(counted(), [2, 1, 0, 300]);
  one.set('a', 50);
  other.delete('a');
  other.set('large', 251);
  assert.deepEqual(counted(), [0, 0, 0, -250]);
  for (let at = 0; at < 10; at += 1) one.set(`${at}`, 200);
  assert.deepEqual(counted(), [0, 0, 6, 800]);
  budget.release();
  assert.deepEqual(counted(), [0, 0, 5, -850]);
});

test('caches of small entries count, too, and tell what they remove', () => {
  const counted = counter('rate_windows');
  const removed: number[] = [];
  const cache = new EntryCache<string, number>('rate_windows', {
    entries: 2,
    onRemove: (value) => removed.push(value),
  });
  for (const [at, key] of ['a', 'b', 'c'].entries()) cache.set(key, at);
  assert.deepEqual([cache.get('a'), cache.get('c')], [undefined, 2]);
  cache.delete('b');
  assert.deepEqual(removed, [0, 1]);
  assert.deepEqual(counted(), [1, 1, 1, 0]);
});
