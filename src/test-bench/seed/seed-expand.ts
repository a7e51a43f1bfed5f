import { problemAt, SeedError } from './seed.error.ts';
import type { SeedDocument, SeedPath } from './seed-document.ts';

/** An object of a seed. */
export type Item = Readonly<Record<string, unknown>>;

/** How many values a seed may have once every `count` is written out. */
const MAX_VALUES = 2_000_000;

/** A seed in which every `count` is written out, and which still knows where everything stands. */
export interface ExpandedSeed {
  readonly root: Item;
  /** Where an element of a list stands in the file. */
  placeOf(list: readonly unknown[], at: number): SeedPath;
}

/**
 * Writes out every `count`, with the number for `{n}` in texts and keys: that of the innermost one around them.
 * @throws SeedError if that makes too many
 */
export function expandSeed(document: SeedDocument): ExpandedSeed {
  const places = new WeakMap<readonly unknown[], SeedPath[]>();
  let values = 0;

  const grow = (value: unknown, path: SeedPath, n: number | null, isCounted = false): unknown => {
    values += 1;
    if (values > MAX_VALUES)
      throw new SeedError([problemAt(document.placeOf(path), `a seed makes at most ${MAX_VALUES} values`)]);
    if (typeof value === 'string') return n === null ? value : value.replaceAll('{n}', String(n));
    if (Array.isArray(value)) return growList(value, path, n);
    return typeof value === 'object' && value !== null ? growObject(value, path, n, isCounted) : value;
  };

  /** @param isCounted whether its `count` has been written out; others are what they are called, such as a file */
  const growObject = (value: object, path: SeedPath, n: number | null, isCounted = false): Item => {
    const grown: Record<string, unknown> = {};
    for (const [key, each] of Object.entries(value)) {
      if (!isCounted || key !== 'count') grown[grow(key, path, n) as string] = grow(each, [...path, key], n);
    }
    return grown;
  };

  const growList = (list: readonly unknown[], path: SeedPath, n: number | null): unknown[] => {
    const grown: unknown[] = [];
    const at: SeedPath[] = [];
    for (const [index, value] of list.entries()) {
      const place = [...path, index];
      const count = countOf(value);
      for (let each = 1; each <= (count ?? 1); each += 1) {
        grown.push(grow(value, place, count === null ? n : each, count !== null));
        at.push(place);
      }
    }
    places.set(grown, at);
    return grown;
  };

  const { templates: _, ...root } = (document.value ?? {}) as Item;
  return { root: growObject(root, [], null), placeOf: (list, at) => places.get(list)?.[at] ?? [] };
}

function countOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null;
  const { count } = value as Item;
  return typeof count === 'number' ? count : null;
}
