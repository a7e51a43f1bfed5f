/** Line numbers of a diff line, from 1; null on the side that lacks it. */
export interface Line {
  old: number | null;
  new: number | null;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Type of a line in a diff: `new` (added), `old` (removed), `same` (unchanged); null if there is no such line. An
 * unchanged line has both numbers, and may lie outside the hunks.
 * @param hunks of one file, from the first `@@`
 * @param oldLines number of lines of the file before the change
 */
export function lineType(hunks: string, line: Line, oldLines: number): 'new' | 'old' | 'same' | null {
  if (line.old === null && line.new === null) return null;
  let before = 1;
  let after = 1;
  let inHunk = false;
  for (const text of hunks.split('\n')) {
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      // For an empty side, the header gives the line before it.
      const oldStart = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0);
      const newStart = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0);
      if (isBetween(line, before, after, oldStart)) return 'same';
      before = oldStart;
      after = newStart;
      inHunk = true;
    } else if (!inHunk || text === '') {
      // Not part of a hunk.
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

/** Whether it is an unchanged line between `before` (`after` on the new side) and `end`, exclusive. */
const isBetween = (line: Line, before: number, after: number, end: number): boolean =>
  line.old !== null &&
  line.new !== null &&
  line.old >= before &&
  line.old < end &&
  line.new - line.old === after - before;

/**
 * Maps a line of the old side to the new side; null if it was removed or changed.
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
