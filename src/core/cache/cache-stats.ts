import type { ByteCacheName, EntryCacheName } from './cache-table.ts';

export type CacheName = ByteCacheName | EntryCacheName;

/** Counts of all caches of one name in this thread since its start. */
export interface CacheStats {
  hits: number;
  misses: number;
  /** Entries that were dropped for want of room, or since nobody used them. */
  evictions: number;
  /** Bytes held now, as estimated; 0 for caches that are bounded by the number of their entries. */
  bytes: number;
}

const stats = new Map<CacheName, CacheStats>();

/** The counts of a name. They are changed in place. */
export function statsOf(name: CacheName): CacheStats {
  const known = stats.get(name);
  if (known !== undefined) return known;
  const fresh = newStats();
  stats.set(name, fresh);
  return fresh;
}

/** Counts of a cache without a name. */
export const newStats = (): CacheStats => ({ hits: 0, misses: 0, evictions: 0, bytes: 0 });

/** The counts of all names that were used. */
export const cacheStats = (): ReadonlyMap<CacheName, Readonly<CacheStats>> => stats;
