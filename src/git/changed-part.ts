const LINE_FEED = 10;

/** Between the first and the last line in which two contents differ, in bytes of whole lines. */
export interface ChangedPart {
  /** In both. */
  start: number;
  beforeEnd: number;
  afterEnd: number;
}

/** What of two contents is not the same at the beginning of both, nor at the end of both. */
export function changedPart(before: Buffer, after: Buffer): ChangedPart {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same += 1;
  // All of one of them is the beginning of the other.
  const start = same === 0 ? 0 : before.lastIndexOf(LINE_FEED, same - 1) + 1;
  let [beforeEnd, afterEnd] = [before.length, after.length];
  for (let left = most - start; left > 0 && before[beforeEnd - 1] === after[afterEnd - 1]; left -= 1) {
    beforeEnd -= 1;
    afterEnd -= 1;
  }
  if (!isLineStart(before, beforeEnd) || !isLineStart(after, afterEnd)) {
    const next = before.indexOf(LINE_FEED, beforeEnd);
    const rest = next === -1 ? before.length - beforeEnd : next + 1 - beforeEnd;
    beforeEnd += rest;
    afterEnd += rest;
  }
  return { start, beforeEnd, afterEnd };
}

/** Whether a line begins there. */
export const isLineStart = (data: Buffer, at: number): boolean => at === 0 || data[at - 1] === LINE_FEED;
