import { ConfigError } from '../config/config-error.ts';
import type { Tree } from '../config/loaded.ts';
import { isString } from './checks.keyword.ts';
import { anyEntry, config, entry, keys, type Reader } from './reader.ts';

const DEEPEST = 10;

/** Maximum number of items of one value, which nested references can multiply. */
const MAX_ITEMS = 200_000;

/** Counts the arrays and items of a value. @throws ConfigError if there are too many */
function counter(): () => void {
  let left = MAX_ITEMS;
  return () => {
    if (--left < 0) throw new ConfigError('Total size of combined CI/CD configuration is too big');
  };
}

/** Whether a value is an array of matching items, possibly nested up to a depth. @throws ConfigError */
export function isNested(value: Tree, fits: (value: Tree) => boolean): value is Tree[] {
  const count = counter();
  const within = (each: Tree, depth: number): boolean => {
    count();
    return Array.isArray(each) && depth >= 0 && each.every((item) => fits(item) || within(item, depth - 1));
  };
  return within(value, DEEPEST);
}

/** Flattens nested arrays. @throws ConfigError */
export function flat(value: readonly Tree[]): Tree[] {
  const count = counter();
  const items = (each: Tree): Tree[] => {
    count();
    return Array.isArray(each) ? each.flatMap(items) : [each];
  };
  return value.flatMap(items);
}

const LINES = `should be a string or a nested array of strings up to ${DEEPEST} levels deep`;
const isLines = (value: Tree) => isString(value) || isNested(value, isString);

/** `script` and similar keywords. */
export const commands: Reader<string[]> = anyEntry(
  [config((value) => (isLines(value) ? null : LINES))],
  (value) => (Array.isArray(value) ? flat(value) : [value]) as string[],
);

/** `stages`. */
export const stages: Reader<string[]> = anyEntry(
  [
    config((value) =>
      isNested(value, isString)
        ? null
        : `should be an array of strings or a nested array of strings up to ${DEEPEST} levels deep`,
    ),
  ],
  (value) => flat(value as Tree[]) as string[],
);

/** `hooks`. */
export const hooks: Reader<{ preGetSourcesScript: string[] }> = entry(
  [keys('pre_get_sources_script')],
  (value, at) => ({
    preGetSourcesScript: at.read(value, 'pre_get_sources_script', commands) ?? [],
  }),
);
