/** Everything that is kept in memory to be faster: src/core/cache/README.md. */
export { BoundedCache } from './bounded-cache.ts';
export { CacheBudget } from './cache-budget.ts';
export { type CacheStats, cacheStats } from './cache-stats.ts';
export { BYTE_CACHES, type ByteCacheName, ENTRY_CACHES } from './cache-table.ts';
export { EntryCache } from './entry-cache.ts';
export { RecentCache } from './recent-cache.ts';
export { SeenFilter } from './seen-filter.ts';
export { SnapshotCache } from './snapshot-cache.ts';
