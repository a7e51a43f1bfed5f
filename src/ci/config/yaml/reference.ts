/** A `!reference` tag, which is resolved after all includes: a path in the configuration. */
export class Reference {
  /** The keys of the path; null if the tag is not on a list. */
  readonly path: readonly unknown[] | null;
  constructor(path: readonly unknown[] | null) {
    this.path = path;
  }
}

/** Data of a file before references are resolved. Immutable, because it may be cached and shared. */
export type RawTree = string | number | boolean | null | Reference | RawTree[] | RawMap;
export interface RawMap {
  [key: string]: RawTree;
}

/** Keys of maps that were numbers, booleans or null, which are invalid as job names. */
export const KEYS_WITHOUT_TEXT = new WeakMap<RawMap, Set<string>>();

/** A map without a prototype, in which `__proto__` and `constructor` are ordinary keys. */
export const newMap = <Value = RawTree>(): { [key: string]: Value } => Object.create(null) as { [key: string]: Value };

export const isMap = (value: unknown): value is RawMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Reference);
