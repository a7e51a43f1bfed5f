import { badRequest } from '../../core/core.errors.ts';
import { invalidJson } from './json.ts';
import { type Extractor, LONG_TEXT, type TextSink } from './text-sink.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const U = 0x75;
/** Two escapes that make up one character. */
const LONGEST_ESCAPE = 12;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const HEX = /^\\u([0-9a-fA-F]{4})/;
/** JSON allows no control characters in a text. */
const FIRST_PRINTABLE = 0x20;

/** Takes long strings out of a JSON text that comes in chunks. What it leaves is checked by the parser. */
export class JsonExtractor implements Extractor {
  readonly #sink: TextSink;
  #carried: Buffer = Buffer.alloc(0);
  #inString = false;
  #long = false;
  /** What a string has so far, as it was written, while it is short. */
  #pending: Buffer[] = [];
  #pendingSize = 0;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  feed(chunk: Buffer, last: boolean): void {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    this.#carried = Buffer.alloc(0);
    let at = 0;
    while (at < bytes.length) {
      if (this.#inString) {
        const next = this.#readString(bytes, at, last);
        if (next === null) return;
        at = next;
        continue;
      }
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote === -1 ? bytes.length : quote + 1;
      this.#sink.keep(bytes.subarray(at, end));
      this.#inString = quote !== -1;
      at = end;
    }
    if (last && this.#inString) throw invalidJson();
  }

  /** @returns where to go on; null when an escape is cut off and waits for the next chunk */
  #readString(bytes: Buffer, from: number, last: boolean): number | null {
    let at = from;
    let quote = bytes.indexOf(QUOTE, at);
    for (;;) {
      // Looked for again only once it is passed: a text of nothing but escapes is read once.
      if (quote !== -1 && quote < at) quote = bytes.indexOf(QUOTE, at);
      const found = bytes.subarray(at, quote === -1 ? bytes.length : quote).indexOf(BACKSLASH);
      if (found === -1) {
        if (quote !== -1) return this.#end(bytes, at, quote);
        this.#add(bytes.subarray(at));
        return bytes.length;
      }
      const start = at + found;
      this.#add(bytes.subarray(at, start));
      if (!last && bytes.length - start < LONGEST_ESCAPE) {
        this.#carried = Buffer.from(bytes.subarray(start));
        return null;
      }
      at = start + this.#escape(bytes, start);
    }
  }

  #end(bytes: Buffer, from: number, quote: number): number {
    this.#add(bytes.subarray(from, quote));
    if (this.#long) this.#sink.keep(Buffer.from(this.#sink.endText()));
    else for (const part of this.#pending) this.#sink.keep(part);
    this.#sink.keep(Buffer.from('"'));
    this.#inString = false;
    this.#long = false;
    this.#pending = [];
    this.#pendingSize = 0;
    return quote + 1;
  }

  /** Adds characters that stand for themselves. */
  #add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (!this.#long) {
      this.#wait(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += 1) if (bytes[at]! < FIRST_PRINTABLE) throw invalidJson();
    this.#sink.spool(bytes);
  }

  #wait(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingSize += bytes.length;
    if (this.#pendingSize <= LONG_TEXT) return;
    this.#long = true;
    const text = Buffer.concat(this.#pending);
    this.#pending = [];
    let at = 0;
    for (let end = text.indexOf(BACKSLASH); end !== -1; end = text.indexOf(BACKSLASH, at)) {
      this.#add(text.subarray(at, end));
      at = end + this.#escape(text, end);
    }
    this.#add(text.subarray(at));
  }

  /** Takes one escape. @returns its length in bytes */
  #escape(bytes: Buffer, at: number): number {
    const length = escapeLength(bytes, at);
    if (this.#long) this.#sink.spool(Buffer.from(decodeEscape(bytes.toString('latin1', at, at + length))));
    else this.#wait(bytes.subarray(at, at + length));
    return length;
  }
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function escapeLength(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== U) return 2;
  const unit = HEX.exec(bytes.toString('latin1', at, at + 6));
  const second = bytes.toString('latin1', at + 6, at + LONGEST_ESCAPE);
  return unit !== null && isHigh(Number.parseInt(unit[1]!, 16)) && HEX.test(second) ? LONGEST_ESCAPE : 6;
}

/** @throws ApiError 400 for what is no escape, or half of a character */
function decodeEscape(text: string): string {
  const simple = ESCAPES[text[1] ?? ''];
  if (text.length === 2 && simple !== undefined) return simple;
  const units: number[] = [];
  for (let at = 0; at < text.length; at += 6) {
    const unit = HEX.exec(text.slice(at));
    if (unit === null) throw invalidJson();
    units.push(Number.parseInt(unit[1]!, 16));
  }
  const decoded = String.fromCharCode(...units);
  if (!decoded.isWellFormed()) throw badRequest('a text holds half of a pair of surrogates');
  return decoded;
}
