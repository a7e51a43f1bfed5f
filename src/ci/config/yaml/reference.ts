/** What `!reference` stands for until everything has been included: a place in the configuration. */
export class Reference {
  /** The keys on the way to it; null when the tag does not stand before a list. */
  readonly path: readonly unknown[] | null;
  constructor(path: readonly unknown[] | null) {
    this.path = path;
  }
}

/** What a file holds before its references are resolved. Never changed once it was read: it may be kept and shared. */
export type RawTree = string | number | boolean | null | Reference | RawTree[] | RawMap;
export interface RawMap {
  [key: string]: RawTree;
}

/** Keys of maps, as they were read, that are no texts: numbers, booleans, nothing. Jobs may not be called so. */
export const KEYS_WITHOUT_TEXT = new WeakMap<RawMap, Set<string>>();

/** A map that has no keys but its own, `__proto__` and `constructor` being keys like others. */
export const newMap = <Value = RawTree>(): { [key: string]: Value } => Object.create(null) as { [key: string]: Value };

export const isMap = (value: unknown): value is RawMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Reference);
