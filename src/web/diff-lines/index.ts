export type { Range } from './changed-words.ts';
export { type DiffRow, diffRowPairs, diffRows } from './diff-rows.ts';
export { markRanges } from './mark-ranges.ts';
