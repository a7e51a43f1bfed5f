import { createHash } from 'node:crypto';
import type { Cache } from './pipeline-config.ts';

/** What decides, beside the configuration, which caches a job shares. */
export interface CacheScope {
  /** How often the caches of the project were cleared. */
  clearedTimes: number;
  /** Whether jobs of protected refs have caches of their own. */
  separated: boolean;
  /** Whether the job is of a protected ref, or of somebody who could be. */
  protectedRef: boolean;
}

/** A cache as the runner takes it. */
export interface RunnerCache {
  key: string;
  untracked: boolean;
  paths: string[];
  policy: string;
  when: Cache['when'];
  fallback_keys: string[];
}

/**
 * The key of a cache that goes by files: it changes when they do.
 * @param ids of the files that there are: of their contents, or of the commits that changed them last
 * @param at place of the cache among those of its job
 */
export function keyOfFiles(
  { files, prefix }: Exclude<Cache['key'], string>,
  ids: readonly string[],
  at: number,
): string {
  const stems = files.map((file) => file.split('.')[0]!.replaceAll(/[^\w-]/g, '_'));
  const digest = ids.length === 0 ? 'default' : createHash('sha1').update(ids.toSorted().join('-')).digest('hex');
  return `${prefix ?? `${at}_${stems.join('_')}`}-${digest}`;
}

/**
 * The caches of a job for its runner.
 * @param keys of those that go by files, by their places; see `keyOfFiles`
 */
export function runnerCaches(
  caches: readonly Cache[],
  keys: ReadonlyMap<number, string>,
  scope: CacheScope,
): RunnerCache[] {
  return caches.map((cache, at) => {
    const suffix = suffixOf(cache, scope);
    const key = typeof cache.key === 'string' ? cache.key : (keys.get(at) ?? keyOfFiles(cache.key, [], at));
    return {
      key: `${key}${suffix}`,
      untracked: cache.untracked,
      paths: cache.paths,
      policy: cache.policy,
      when: cache.when,
      fallback_keys: cache.fallbackKeys.map((fallback) => `${fallback}${suffix}`),
    };
  });
}

function suffixOf({ unprotect }: Cache, { clearedTimes, separated, protectedRef }: CacheScope): string {
  const cleared = clearedTimes > 0 ? `-${clearedTimes}` : '';
  if (unprotect || !separated) return cleared;
  return `${cleared}${protectedRef ? '-protected' : '-non_protected'}`;
}
