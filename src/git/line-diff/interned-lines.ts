import { commonPrefixFrom } from './common-prefix.ts';
import { isSame, lineEnd, lineHash, viewOf } from './line-sum.ts';

const LINE_FEED = 10;
const LEAST_PLACES = 4_096;
const LEAST_LINES = 2_048;
const LEAST_TEXT = 128 * 1024;
/** Maximum size in bytes of all distinct lines. */
const MAX_TEXT = 4 * 1024 * 1024;
/** Maximum number of distinct lines. */
const MAX_LINES = 128 * 1024;
/** Maximum number of failed probes for each line of a content; more indicate an adversarial content. */
const MAX_PROBES = 16;

/** A content that was read, with the numbers of its lines. */
export interface InternedContent {
  content: Buffer;
  lines: Int32Array;
}

/**
 * Assigns the same number to equal lines of several contents. Consecutive versions of a file have most lines in common:
 * those are found by comparing bytes.
 */
export class InternedLines {
  /** Hash table of lines: number plus one, 0 for an empty slot. */
  #table = new Int32Array(LEAST_PLACES);
  #sums = new Int32Array(LEAST_LINES);
  /** Start of each line in the text, and its length. */
  #starts = new Int32Array(LEAST_LINES);
  #lengths = new Int32Array(LEAST_LINES);
  #size = 0;
  #text = Buffer.allocUnsafeSlow(LEAST_TEXT);
  #textView = viewOf(this.#text);
  #textEnd = 0;
  #probes = 0;
  /** Lines of the current content so far. */
  #lines = new Int32Array(LEAST_LINES);
  #count = 0;
  /** Of the previous content: line starts, and the last position of each line. */
  #likeStarts = new Int32Array(LEAST_LINES);
  #places = new Int32Array(LEAST_LINES);

  /** Number of distinct lines. */
  get size(): number {
    return this.#size;
  }

  /** Discards all lines. */
  clear(): void {
    if (this.#table.length > LEAST_PLACES) this.#table = new Int32Array(LEAST_PLACES);
    else this.#table.fill(0);
    this.#size = 0;
    this.#textEnd = 0;
  }

  /**
   * Reads a content.
   * @param like a similar content, read since the last `clear`
   * @returns its lines, in reusable memory; null if there is not enough space, or the content is adversarial
   */
  read(content: Buffer, like: InternedContent | null): Int32Array | null {
    this.#count = 0;
    this.#probes = 0;
    const view = viewOf(content);
    const isRead = like === null ? this.#readTo(view, 0, content.length) : this.#readLike(content, view, like);
    return isRead ? this.#lines.subarray(0, this.#count) : null;
  }

  #readTo(view: DataView, from: number, to: number): boolean {
    for (let at = from; at < to; at = lineEnd[0]!) if (this.#readLine(view, at, to) < 0) return false;
    return true;
  }

  #readLike(content: Buffer, view: DataView, { content: other, lines }: InternedContent): boolean {
    const otherView = viewOf(other);
    const known = this.#size;
    this.#find(lines);
    const starts = this.#likeStarts;
    const isEnded = other.at(-1) === LINE_FEED;
    let next = 0;
    for (let at = 0; at < content.length; ) {
      const from = starts[next]!;
      const limit = Math.min(content.length - at, other.length - from);
      const same = commonPrefixFrom({ data: content, view, at }, { data: other, view: otherView, at: from }, limit);
      const isAll = at + same === content.length && from + same === other.length;
      let to = isAll ? lines.length : lineAt(starts, next, lines.length, from + same);
      // The last common line may continue here.
      if (!isAll && to === lines.length && !isEnded && to > next) to -= 1;
      if (to > next) {
        this.#take(lines, next, to);
        at += starts[to]! - from;
        next = to;
        continue;
      }
      const number = this.#readLine(view, at, content.length);
      if (number < 0) return false;
      at = lineEnd[0]!;
      // The lines after the same line in the other content may be equal as well.
      const place = number < known ? this.#places[number]! : -1;
      next = place >= 0 && place < lines.length && lines[place] === number ? place + 1 : lines.length;
    }
    return true;
  }

  /** Records the position of each line in a content. */
  #find(lines: Int32Array): void {
    if (this.#likeStarts.length <= lines.length) this.#likeStarts = new Int32Array(2 * lines.length);
    if (this.#places.length < this.#size) this.#places = new Int32Array(this.#lengths.length);
    const [starts, places, lengths] = [this.#likeStarts, this.#places, this.#lengths];
    let at = 0;
    for (let place = 0; place < lines.length; place += 1) {
      const number = lines[place]!;
      starts[place] = at;
      places[number] = place;
      at += lengths[number]!;
    }
    starts[lines.length] = at;
  }

  #take(lines: Int32Array, from: number, to: number): void {
    this.#reserve(to - from);
    this.#lines.set(lines.subarray(from, to), this.#count);
    this.#count += to - from;
  }

  #reserve(lines: number): void {
    if (this.#count + lines > this.#lines.length) this.#lines = grown(this.#lines, this.#count + lines);
  }

  /** @returns the number of the line that starts at `start`; -1 if there is not enough space */
  #readLine(view: DataView, start: number, end: number): number {
    const sum = lineHash(view, start, end);
    const number = this.#numberOf(view, start, lineEnd[0]! - start, sum);
    this.#reserve(1);
    this.#lines[this.#count] = number;
    this.#count += 1;
    return number;
  }

  #numberOf(view: DataView, start: number, length: number, sum: number): number {
    const mask = this.#table.length - 1;
    let place = sum & mask;
    for (; this.#table[place] !== 0; place = (place + 1) & mask) {
      const number = this.#table[place]! - 1;
      const isLike = this.#sums[number] === sum && this.#lengths[number] === length;
      if (isLike && isSame(this.#textView, this.#starts[number]!, view, start, length)) return number;
      this.#probes += 1;
    }
    const number = this.#size;
    const isTooMuch = number === MAX_LINES || this.#textEnd + length > MAX_TEXT;
    if (isTooMuch || this.#probes > MAX_PROBES * (this.#count + LEAST_LINES)) return -1;
    this.#grow(length);
    this.#table[place] = number + 1;
    this.#sums[number] = sum;
    this.#starts[number] = this.#textEnd;
    this.#lengths[number] = length;
    this.#copy(view, start, length);
    this.#size = number + 1;
    if (2 * this.#size > this.#table.length) this.#growTable();
    return number;
  }

  /** Reserves space for a line. */
  #grow(length: number): void {
    if (this.#size === this.#sums.length) {
      this.#sums = grown(this.#sums, this.#size + 1);
      this.#starts = grown(this.#starts, this.#size + 1);
      this.#lengths = grown(this.#lengths, this.#size + 1);
    }
    if (this.#textEnd + length <= this.#text.length) return;
    const text = Buffer.allocUnsafeSlow(Math.min(MAX_TEXT, 2 * (this.#textEnd + length)));
    this.#text.copy(text, 0, 0, this.#textEnd);
    this.#text = text;
    this.#textView = viewOf(text);
  }

  #copy(view: DataView, start: number, length: number): void {
    const [text, end] = [this.#textView, this.#textEnd];
    let at = 0;
    for (; at + 4 <= length; at += 4) text.setInt32(end + at, view.getInt32(start + at, true), true);
    for (; at < length; at += 1) text.setUint8(end + at, view.getUint8(start + at));
    this.#textEnd = end + length;
  }

  #growTable(): void {
    const table = new Int32Array(4 * this.#table.length);
    const mask = table.length - 1;
    for (let number = 0; number < this.#size; number += 1) {
      let place = this.#sums[number]! & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = number + 1;
    }
    this.#table = table;
  }
}

function grown(numbers: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * least);
  larger.set(numbers);
  return larger;
}

/** The line that contains a byte. @param line a line that starts at or before it */
function lineAt(starts: Int32Array, line: number, count: number, byte: number): number {
  let low = line;
  for (let high = count; low < high; ) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= byte) low = middle;
    else high = middle - 1;
  }
  return low;
}
