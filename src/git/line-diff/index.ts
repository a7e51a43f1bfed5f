/** Compares the lines of two contents. */

export { countInterned } from './count-interned.ts';
export { diffWindow, isLineStart } from './diff-window.ts';
export { type InternedContent, InternedLines } from './interned-lines.ts';
export { DiffBudget } from './line-diff.changes.ts';
export { countLines, type DiffStats, lineDiff } from './line-diff.ts';
