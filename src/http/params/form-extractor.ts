import { ParamsError } from './rack.ts';
import { type Extractor, LONG_TEXT, type TextSink } from './text-sink.ts';
import { Utf8Check } from './utf8-check.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

const invalid = () => new ParamsError('invalid %-encoding');

/** Extracts long values from an urlencoded text that arrives in chunks. */
export class FormExtractor implements Extractor {
  readonly #sink: TextSink;
  #carried: Buffer = Buffer.alloc(0);
  /** The current pair as written, while it is short. */
  #pending: Buffer[] = [];
  #pendingSize = 0;
  /** Checks the long value being read; null if there is none. */
  #check: Utf8Check | null = null;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  feed(chunk: Buffer, last: boolean): void {
    let at = 0;
    while (at < chunk.length) {
      const ampersand = chunk.indexOf(AMPERSAND, at);
      this.#add(chunk.subarray(at, ampersand === -1 ? chunk.length : ampersand));
      if (ampersand !== -1) this.#endPair();
      at = ampersand === -1 ? chunk.length : ampersand + 1;
    }
    if (last) this.#endPair();
  }

  #add(bytes: Buffer): void {
    if (this.#check !== null) {
      this.#decode(bytes);
      return;
    }
    this.#pending.push(bytes);
    this.#pendingSize += bytes.length;
    if (this.#pendingSize <= LONG_TEXT) return;
    const pair = Buffer.concat(this.#pending);
    const equals = pair.indexOf(EQUALS);
    if (equals === -1) throw new ParamsError('the name of a parameter is too long');
    this.#pending = [];
    this.#sink.keep(pair.subarray(0, equals + 1));
    this.#check = new Utf8Check();
    this.#decode(pair.subarray(equals + 1));
  }

  #endPair(): void {
    if (this.#check === null) {
      for (const part of this.#pending) this.#sink.keep(part);
    } else {
      if (this.#carried.length > 0) throw invalid();
      this.#check.end();
      this.#sink.keep(Buffer.from(this.#sink.endText()));
    }
    this.#sink.keep(Buffer.from('&'));
    this.#check = null;
    this.#pending = [];
    this.#pendingSize = 0;
  }

  #decode(chunk: Buffer): void {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    const decoded = Buffer.allocUnsafe(bytes.length);
    let size = 0;
    let at = 0;
    for (; at < bytes.length; size += 1) {
      const byte = bytes[at]!;
      if (byte !== PERCENT) {
        decoded[size] = byte === PLUS ? SPACE : byte;
        at += 1;
        continue;
      }
      if (at + 2 >= bytes.length) break;
      const digits = bytes.toString('latin1', at + 1, at + 3);
      if (!/^[0-9a-fA-F]{2}$/.test(digits)) throw invalid();
      decoded[size] = Number.parseInt(digits, 16);
      at += 3;
    }
    this.#carried = Buffer.from(bytes.subarray(at));
    const text = decoded.subarray(0, size);
    this.#check!.push(text);
    this.#sink.spool(text);
  }
}
