import { commonEnd, commonStart } from '../common/index.ts';

const LINE_FEED = 10;

/** The range of whole lines in which two contents differ, in bytes. */
export interface DiffWindow {
  /** Start in both contents. */
  start: number;
  beforeEnd: number;
  afterEnd: number;
}

/** Trims the common prefix and suffix of two contents. */
export function diffWindow(before: Buffer, after: Buffer): DiffWindow {
  const shorter = Math.min(before.length, after.length);
  const same = commonStart(before, after, shorter);
  // One content may be a prefix of the other.
  const start = same === 0 ? 0 : before.lastIndexOf(LINE_FEED, same - 1) + 1;
  const sameEnd = commonEnd(before, after, shorter - start);
  let [beforeEnd, afterEnd] = [before.length - sameEnd, after.length - sameEnd];
  if (!isLineStart(before, beforeEnd) || !isLineStart(after, afterEnd)) {
    const next = before.indexOf(LINE_FEED, beforeEnd);
    const rest = next === -1 ? before.length - beforeEnd : next + 1 - beforeEnd;
    beforeEnd += rest;
    afterEnd += rest;
  }
  return { start, beforeEnd, afterEnd };
}

/** Whether a line starts at this position. */
export const isLineStart = (data: Buffer, at: number): boolean => at === 0 || data[at - 1] === LINE_FEED;
