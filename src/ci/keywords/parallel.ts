import { between, isMap } from './checks.keyword.ts';
import { MAX_PARALLEL, type MatrixRow, matrix } from './matrix.ts';
import { anyEntry, config, entry, keys, type Reader, requiredKeys } from './reader.ts';

/** How a job is multiplied: into identical jobs, or one for each combination. */
export type Parallel = { number: number } | { matrix: MatrixRow[] };

const number: Reader<Parallel> = anyEntry([config(between(1, MAX_PARALLEL))], (value) => ({
  number: value as number,
}));

const matrixOnly: Reader<Parallel> = entry([keys('matrix'), requiredKeys('matrix')], (value, at) => {
  const rows = at.read(value, 'matrix', matrix);
  return rows && { matrix: rows };
});

/** `parallel` of a job. */
export const parallel: Reader<Parallel> = (value, at) => {
  if (typeof value === 'number') return number(value, at);
  return isMap(value) ? matrixOnly(value, at) : at.says('should be an integer or a hash');
};

/** `parallel` of a trigger job: a matrix only. */
export const bridgeParallel: Reader<Parallel> = (value, at) =>
  typeof value === 'number' ? at.config('cannot use "parallel: <number>".') : parallel(value, at);
