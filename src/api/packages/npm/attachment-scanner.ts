import { ApiError } from '../../../core/core.errors.ts';
import { invalidJson } from '../../../http/params/json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;

/** Maximum nesting in a body; the parser allows no more. */
const MAX_DEPTH = 100;
/** Maximum length of a key that is compared: longer ones are irrelevant. */
const MAX_KEY = 1_024;

/** Start of the data of an attachment, followed by its bytes as written in JSON, and `END`. */
export interface AttachmentStart {
  /** Name in `_attachments`. */
  name: string;
}
export const END = Symbol('end of the data');
export type ScanEvent = AttachmentStart | Buffer | typeof END;

/**
 * Extracts the data of attachments, `_attachments.<name>.data`, from JSON that arrives in chunks, so that it is never
 * completely in memory. The rest is kept, with empty strings in place of the data, and parsed at the end, which detects
 * invalid JSON.
 */
export class AttachmentScanner {
  readonly #maxBufferedBytes: number;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  /** Open objects and arrays, and the last key of each. */
  readonly #open: number[] = [];
  readonly #keys: string[] = [];
  #awaitsKey = false;
  #string: 'none' | 'key' | 'value' | 'data' = 'none';
  #escaped = false;
  #key: Buffer[] = [];
  #keyBytes = 0;

  /** @param maxBufferedBytes maximum bytes without the data of attachments */
  constructor(maxBufferedBytes: number) {
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  /** Bytes kept so far. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Returns the rest of the text after all of it was scanned. @throws ApiError 400 if it ends within a string */
  rest(): Buffer {
    if (this.#string !== 'none') throw invalidJson();
    return Buffer.concat(this.#buffered);
  }

  /** Scans the next chunk. @throws ApiError 400, 413 */
  *scan(chunk: Buffer): Generator<ScanEvent> {
    /** Start of the part to keep. */
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#string === 'none') {
        at = this.#structure(chunk, at);
        if ((this.#string as string) !== 'data') continue;
        this.#keep(chunk.subarray(from, at));
        yield { name: this.#keys[1]! };
        from = at;
        continue;
      }
      const end = this.#endOfText(chunk, at);
      const closed = end < chunk.length;
      const text = chunk.subarray(at, end);
      if (this.#string === 'data') {
        if (text.length > 0) yield text;
        if (closed) yield END;
        from = end;
      } else if (this.#string === 'key') this.#readKey(text, closed);
      if (closed) this.#string = 'none';
      at = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#bufferedBytes += bytes.length;
    if (this.#bufferedBytes > this.#maxBufferedBytes) {
      throw new ApiError(413, '413 Request Entity Too Large', {}, { Connection: 'close' });
    }
    // A copy: the chunk may be mostly data.
    this.#buffered.push(Buffer.from(bytes));
  }

  /** Scans text outside of strings. @returns position after the quote of the next string, or the end of the chunk */
  #structure(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      switch (chunk[at]) {
        case QUOTE:
          this.#string = this.#awaitsKey ? 'key' : this.#isData() ? 'data' : 'value';
          this.#key = [];
          this.#keyBytes = 0;
          return at + 1;
        case OBJECT:
        case ARRAY:
          if (this.#open.length === MAX_DEPTH) throw invalidJson();
          this.#open.push(chunk[at]!);
          this.#keys[this.#open.length - 1] = '';
          this.#awaitsKey = chunk[at] === OBJECT;
          break;
        case OBJECT_END:
        case ARRAY_END:
          this.#open.pop();
          this.#awaitsKey = false;
          break;
        case COLON:
          this.#awaitsKey = false;
          break;
        case COMMA:
          this.#awaitsKey = this.#open.at(-1) === OBJECT;
          break;
      }
    }
    return chunk.length;
  }

  #isData(): boolean {
    const open = this.#open;
    const [first, , last] = this.#keys;
    return open.length === 3 && open.every((kind) => kind === OBJECT) && first === '_attachments' && last === 'data';
  }

  /** @returns position of the closing quote, or the end of the chunk */
  #endOfText(chunk: Buffer, from: number): number {
    let at = from;
    // Searched again only after it is passed, so that a string full of escapes is scanned once.
    let quote = chunk.indexOf(QUOTE, at);
    while (at < chunk.length) {
      if (this.#escaped) {
        this.#escaped = false;
        at += 1;
        continue;
      }
      if (quote !== -1 && quote < at) quote = chunk.indexOf(QUOTE, at);
      const end = quote === -1 ? chunk.length : quote;
      const backslash = chunk.subarray(at, end).indexOf(BACKSLASH);
      if (backslash === -1) return end;
      this.#escaped = true;
      at += backslash + 1;
    }
    return chunk.length;
  }

  #readKey(text: Buffer, closed: boolean): void {
    this.#keyBytes += text.length;
    if (this.#keyBytes <= MAX_KEY) this.#key.push(Buffer.from(text));
    if (!closed) return;
    const depth = this.#open.length;
    this.#keys[depth - 1] = this.#keyBytes > MAX_KEY ? '' : keyOf(Buffer.concat(this.#key));
  }
}

/** Returns a key without escapes. @throws ApiError 400 */
function keyOf(written: Buffer): string {
  try {
    return JSON.parse(`"${written.toString('utf8')}"`) as string;
  } catch {
    throw invalidJson();
  }
}
