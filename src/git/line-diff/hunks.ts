import { utf8Length } from '../common/index.ts';
import type { LinePair, Lines } from './line-diff.lines.ts';

/** Number of context lines around a change; changes with shared context form one hunk. */
const CONTEXT = 3;
const LINE_FEED = 10;
const [BLANK, PLUS, MINUS] = [0x20, 0x2b, 0x2d];
/** Maximum length in bytes of the heading of a hunk. */
const MAX_HEADING = 80;
/** Maximum length of the `@@` line of a hunk. */
const MAX_HEADER = 50 + MAX_HEADING;
const UNENDED = Buffer.from('\n\\ No newline at end of file\n');

/** A range of lines of the first content, and the range of the second content that replaces it. */
interface Change {
  start: number;
  end: number;
  otherStart: number;
  otherEnd: number;
}

/** Hunks in git's format. */
export interface Hunks {
  bytes: Buffer;
  /** Number of lines, including those with `@@`. */
  lines: number;
  additions: number;
  deletions: number;
}

/** Formats the hunks for the `changed` lines of two contents. */
export function hunksOf(pair: LinePair): Hunks {
  const changes = changesOf(pair);
  const text = new HunkText();
  const headings = new Headings(pair.before);
  let [additions, deletions] = [0, 0];
  for (let first = 0; first < changes.length; ) {
    let last = first;
    while (last + 1 < changes.length && changes[last + 1]!.start - changes[last]!.end <= 2 * CONTEXT) last += 1;
    const hunk = changes.slice(first, last + 1);
    for (const { start, end, otherStart, otherEnd } of hunk) {
      deletions += end - start;
      additions += otherEnd - otherStart;
    }
    writeHunk(pair, hunk, headings, text);
    first = last + 1;
  }
  return { bytes: text.bytes, lines: text.lines, additions, deletions };
}

function changesOf({ before, after }: LinePair): Change[] {
  const changes: Change[] = [];
  const [one, other] = [before.changed, after.changed];
  // Starts at 0 rather than at the first differing line, since changes may have moved up.
  let [at, otherAt] = [0, 0];
  while (at < before.count || otherAt < after.count) {
    const [start, otherStart] = [at, otherAt];
    while (one[at] === 1) at += 1;
    while (other[otherAt] === 1) otherAt += 1;
    if (at > start || otherAt > otherStart) changes.push({ start, end: at, otherStart, otherEnd: otherAt });
    at += 1;
    otherAt += 1;
  }
  return changes;
}

function writeHunk({ before, after }: LinePair, changes: readonly Change[], headings: Headings, text: HunkText): void {
  const [first, last] = [changes[0]!, changes.at(-1)!];
  const start = Math.max(first.start - CONTEXT, 0);
  const otherStart = Math.max(first.otherStart - CONTEXT, 0);
  const behind = Math.min(CONTEXT, before.count - last.end, after.count - last.otherEnd);
  const [end, otherEnd] = [last.end + behind, last.otherEnd + behind];
  const length = before.starts[end]! - before.starts[start]! + after.starts[otherEnd]! - after.starts[otherStart]!;
  text.reserve(length + (end - start) + (otherEnd - otherStart) + MAX_HEADER + 2 * UNENDED.length);
  text.header(`@@ -${range(start, end)} +${range(otherStart, otherEnd)} @@`, before, headings.above(start));
  let at = otherStart;
  for (const change of changes) {
    text.add(BLANK, after, at, change.otherStart);
    text.add(MINUS, before, change.start, change.end);
    text.add(PLUS, after, change.otherStart, change.otherEnd);
    at = change.otherEnd;
  }
  text.add(BLANK, after, at, otherEnd);
}

function range(start: number, end: number): string {
  const count = end - start;
  if (count === 1) return `${start + 1}`;
  return `${count === 0 ? start : start + 1},${count}`;
}

/** Finds the heading of a hunk: the nearest line above it that starts with a letter, `_` or `$`. */
class Headings {
  readonly #lines: Lines;
  /** Lines up to this one were searched. */
  #looked = -1;
  #heading = -1;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  /** @returns the number of the line; -1 if there is none */
  above(line: number): number {
    const { data, starts } = this.#lines;
    for (let at = line - 1; at > this.#looked; at -= 1) {
      if (!isHeading(data[starts[at]!]!)) continue;
      this.#heading = at;
      break;
    }
    this.#looked = Math.max(this.#looked, line - 1);
    return this.#heading;
  }
}

const isHeading = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || byte === 0x24;
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 9 && byte <= 13 && byte !== 11 && byte !== 12);

/** Text of hunks. */
class HunkText {
  #buffer = Buffer.alloc(0);
  #length = 0;
  lines = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Reserves space for `size` more bytes. */
  reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(this.#length === 0 ? needed : 2 * needed);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  /** Writes the `@@` line of a hunk. @param heading number of the heading line; -1 for none */
  header(ranges: string, { data, starts }: Lines, heading: number): void {
    this.#length += this.#buffer.write(ranges, this.#length, 'latin1');
    if (heading >= 0) {
      const start = starts[heading]!;
      let end = Math.min(starts[heading + 1]!, start + MAX_HEADING);
      while (isSpace(data[end - 1]!)) end -= 1;
      end = start + utf8Length(data, start, end);
      this.#buffer[this.#length] = BLANK;
      this.#length += 1 + data.copy(this.#buffer, this.#length + 1, start, end);
    }
    this.#buffer[this.#length] = LINE_FEED;
    this.#length += 1;
    this.lines += 1;
  }

  /** Writes lines with a prefix character. */
  add(sign: number, { data, starts }: Lines, from: number, to: number): void {
    const buffer = this.#buffer;
    let length = this.#length;
    for (let line = from; line < to; line += 1) {
      buffer[length] = sign;
      length += 1;
      const end = starts[line + 1]!;
      for (let at = starts[line]!; at < end; at += 1) {
        buffer[length] = data[at]!;
        length += 1;
      }
    }
    this.#length = length;
    this.lines += to - from;
    if (to > from && data[starts[to]! - 1] !== LINE_FEED) {
      this.#length += UNENDED.copy(buffer, length);
      this.lines += 1;
    }
  }
}
