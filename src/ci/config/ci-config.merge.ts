import { isMap, newMap, type RawMap, type RawTree } from './yaml/reference.ts';
import { tooBig } from './yaml/yaml-error.ts';

/** Keys that may be copied while a configuration is put together: far more than any has, and done within a second. */
export const MAX_COPIED_KEYS = 2_000_000;

/** Counts what is copied, for one configuration. */
export class CopyBudget {
  private left = MAX_COPIED_KEYS;

  /** @throws YamlError when nothing is left */
  take(keys: number): void {
    this.left -= keys;
    if (this.left < 0) throw tooBig();
  }
}

/**
 * Maps merged into each other at every depth, the second winning; lists and scalars are replaced, by null too. Neither is
 * changed; what only one of them has is shared with it.
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
