import { badRequest } from '../../core/core.errors.ts';
import { invalidJson } from './json.ts';
import { type Extractor, LONG_TEXT, type TextSink } from './text-sink.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const U = 0x75;
/** Length of two escapes that form one character. */
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
/** JSON allows no control characters in texts. */
const FIRST_PRINTABLE = 0x20;

/** Extracts long strings from a JSON text that arrives in chunks. The parser validates the rest. */
export class JsonExtractor implements Extractor {
  readonly #sink: TextSink;
  #carried: Buffer = Buffer.alloc(0);
  #inString = false;
  #long = false;
  /** The current string as written, while it is short. */
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

  /** @returns where to continue; null if an escape is incomplete until the next chunk */
  #readString(bytes: Buffer, from: number, last: boolean): number | null {
    let at = from;
    let quote = bytes.indexOf(QUOTE, at);
    for (;;) {
      // Searched again only after it was passed, so that a text of escapes is scanned once.
      if (quote !== -1 && quote < at) quote = bytes.indexOf(QUOTE, at);
      const offset = bytes.subarray(at, quote === -1 ? bytes.length : quote).indexOf(BACKSLASH);
      if (offset === -1) {
        if (quote !== -1) return this.#end(bytes, at, quote);
        this.#add(bytes.subarray(at));
        return bytes.length;
      }
      const start = at + offset;
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

  /** Adds unescaped characters. */
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

  /** Adds one escape. @returns its length in bytes */
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

/** @throws ApiError 400 for an invalid escape or an unpaired surrogate */
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
  if (!decoded.isWellFormed()) throw badRequest('a text contains an unpaired surrogate');
  return decoded;
}
