export type { Range } from './changed-words.ts';
export { type DiffRow, type DiffRowPair, diffRowPairs, diffRows } from './diff-rows.ts';
export { markRanges } from './mark-ranges.ts';
