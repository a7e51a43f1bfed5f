/** A line of a diff by its numbers, from 1; null on the side where it is not. */
export interface Line {
  old: number | null;
  new: number | null;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * What a diff does with a line: `new` adds it, `old` removes it, `same` leaves it; null where there is no such line. A
 * line that stays has both numbers, and may lie outside the hunks.
 * @param hunks of one file, from the first `@@`
 * @param oldLines how many lines the file had before
 */
export function lineType(hunks: string, line: Line, oldLines: number): 'new' | 'old' | 'same' | null {
  if (line.old === null && line.new === null) return null;
  let before = 1;
  let after = 1;
  let inHunk = false;
  for (const text of hunks.split('\n')) {
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      // An empty side is named by the line before it.
      const oldStart = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0);
      const newStart = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0);
      if (isBetween(line, before, after, oldStart)) return 'same';
      before = oldStart;
      after = newStart;
      inHunk = true;
    } else if (!inHunk || text === '') {
      // Nothing of a hunk.
    } else if (text.startsWith('+')) {
      if (line.old === null && line.new === after) return 'new';
      after += 1;
    } else if (text.startsWith('-')) {
      if (line.new === null && line.old === before) return 'old';
      before += 1;
    } else if (text.startsWith(' ')) {
      if (line.old === before && line.new === after) return 'same';
      before += 1;
      after += 1;
    }
  }
  return inHunk && isBetween(line, before, after, oldLines + 1) ? 'same' : null;
}

/** Whether it is an unchanged line from `before` (which is `after` now) on, and before `end`. */
const isBetween = (line: Line, before: number, after: number, end: number): boolean =>
  line.old !== null &&
  line.new !== null &&
  line.old >= before &&
  line.old < end &&
  line.new - line.old === after - before;

/**
 * Where a line of the old side is on the new one; null where it was removed or changed.
 * @param hunks of one file, from the first `@@`
 */
export function followLine(hunks: string, line: number): number | null {
  let before = 1;
  let after = 1;
  for (const text of hunks.split('\n')) {
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      const oldStart = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0);
      if (line < oldStart) break;
      before = oldStart;
      after = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0);
    } else if (text.startsWith('+')) {
      after += 1;
    } else if (text.startsWith('-')) {
      if (before === line) return null;
      before += 1;
    } else if (text.startsWith(' ')) {
      if (before === line) return after;
      before += 1;
      after += 1;
    }
  }
  return line + after - before;
}
