import { isMap, newMap, type RawMap, type RawTree } from './yaml/reference.ts';
import { tooBig } from './yaml/yaml-error.ts';

/** Maximum number of keys copied while a configuration is loaded: far more than any needs, and done within a second. */
export const MAX_COPIED_KEYS = 2_000_000;

/** Counts copied keys of one configuration. */
export class CopyBudget {
  private left = MAX_COPIED_KEYS;

  /** @throws YamlError if the budget is exceeded */
  take(keys: number): void {
    this.left -= keys;
    if (this.left < 0) throw tooBig();
  }
}

/**
 * Deep-merges two maps, the second takes precedence; lists and scalars are replaced, also by null. The inputs are not
 * changed; unshared parts are shared with the result.
 */
export function deepMerge(base: RawMap, over: RawMap, budget: CopyBudget): RawMap {
  const merged = newMap();
  const baseKeys = Object.keys(base);
  const overKeys = Object.keys(over);
  budget.take(baseKeys.length + overKeys.length + 1);
  for (const key of baseKeys) merged[key] = base[key]!;
  for (const key of overKeys) {
    const theirs = merged[key];
    const ours: RawTree = over[key]!;
    merged[key] = theirs !== undefined && isMap(theirs) && isMap(ours) ? deepMerge(theirs, ours, budget) : ours;
  }
  return merged;
}
