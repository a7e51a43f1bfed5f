const LINE_FEED = 10;
const LINE_FEEDS = 0x0a0a0a0a;
const ONES = 0x01010101;
const TOP_BITS = 0x80808080 | 0;
/** An odd factor without a regular bit pattern. */
const FACTOR = 0x9e3779b1 | 0;

/** End of the line last read by `lineHash`, after its line feed. */
export const lineEnd: Int32Array = new Int32Array(1);

/**
 * Reads a line by words.
 * @param start start of the line; `end` is the end of the content
 * @returns a hash of the line
 */
export function lineHash(view: DataView, start: number, end: number): number {
  let at = start;
  let sum = 0;
  while (at + 4 <= end) {
    const word = view.getInt32(at, true);
    const zeros = word ^ LINE_FEEDS;
    // The lowest bit is exact; higher ones may be wrong.
    if ((((zeros - ONES) | 0) & ~zeros & TOP_BITS) !== 0) break;
    sum = Math.imul(sum ^ word, FACTOR);
    sum ^= sum >>> 15;
    at += 4;
  }
  for (let byte = -1; at < end && byte !== LINE_FEED; at += 1) {
    byte = view.getUint8(at);
    sum = Math.imul(sum ^ byte, FACTOR);
  }
  lineEnd[0] = at;
  return sum ^ (sum >>> 13);
}

/** Whether two ranges of bytes are equal. */
export function isSame(one: DataView, start: number, other: DataView, otherStart: number, length: number): boolean {
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    if (one.getInt32(start + at, true) !== other.getInt32(otherStart + at, true)) return false;
  }
  for (; at < length; at += 1) if (one.getUint8(start + at) !== other.getUint8(otherStart + at)) return false;
  return true;
}

/** A view of the bytes of a buffer. */
export const viewOf = (data: Buffer): DataView => new DataView(data.buffer, data.byteOffset, data.length);
