import type { Tree, TreeMap } from '../config/loaded.ts';
import { isMap, MAPS } from './checks.keyword.ts';
import { anyEntry, config, type Reader, readEach } from './reader.ts';

/** Maximum number of parallel jobs. */
export const MAX_PARALLEL = 200;

/** Lists of values by variable names, which are combined. */
export type MatrixRow = [name: string, values: string[]][];

const isText = (value: Tree) => typeof value === 'string' || Number.isInteger(value);
const isValues = (value: Tree) => isText(value) || (Array.isArray(value) && value.every(isText));

const row: Reader<MatrixRow> = anyEntry(
  [
    config((value) =>
      isMap(value) && Object.values(value).every(isValues)
        ? null
        : 'should be a hash of key value pairs, value can be an array',
    ),
    config((value) => (isMap(value) && Object.keys(value).length === 0 ? 'requires at least 1 items' : null)),
  ],
  (value) =>
    Object.entries(value as TreeMap).map(([name, values]) => [
      name,
      (Array.isArray(values) ? values : [values]).map((each) => String(each)),
    ]),
);

/** Number of combinations, without creating them. */
export const combinations = (rows: readonly MatrixRow[]): number =>
  rows.reduce((sum, each) => sum + each.reduce((product, [, values]) => product * values.length, 1), 0);

/** `matrix`. */
export const matrix: Reader<MatrixRow[]> = anyEntry([config(MAPS)], (value, at) => {
  const rows = readEach(value as TreeMap[], row, at.child('variables'));
  if (combinations(rows) > MAX_PARALLEL) return at.config(`generates too many jobs (maximum is ${MAX_PARALLEL})`);
  return rows;
});

/** All combinations in the order of names and values, by name. */
export function combine(rows: readonly MatrixRow[]): Map<string, string>[] {
  return rows.flatMap((row) => {
    let combined: [string, string][][] = [[]];
    for (const [name, values] of row) {
      combined = combined.flatMap((prefix) => values.map((value): [string, string][] => [...prefix, [name, value]]));
    }
    return combined.map((entries) => new Map(entries));
  });
}
