import type { Tree } from '../config/loaded.ts';
import { isString } from './checks.ts';
import { anyEntry, config, entry, keys, type Reader } from './reader.ts';

export const DEEPEST = 10;

/** Whether a value is an array of what fits, or of such arrays, down to a depth. */
export function isNested(value: Tree, fits: (value: Tree) => boolean, depth = DEEPEST): value is Tree[] {
  if (!Array.isArray(value) || depth < 0) return false;
  return value.every((each) => fits(each) || isNested(each, fits, depth - 1));
}

/** The items of nested arrays, in their order. */
export const flat = (value: readonly Tree[]): Tree[] =>
  value.flatMap((each) => (Array.isArray(each) ? flat(each) : [each]));

const LINES = `should be a string or a nested array of strings up to ${DEEPEST} levels deep`;
const isLines = (value: Tree) => isString(value) || isNested(value, isString);

/** `script` and its like: lines for the shell. */
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

/** `hooks`: what the runner does beside the job. */
export const hooks: Reader<{ preGetSourcesScript: string[] }> = entry(
  [keys('pre_get_sources_script')],
  (value, at) => ({
    preGetSourcesScript: at.read(value, 'pre_get_sources_script', commands) ?? [],
  }),
);
