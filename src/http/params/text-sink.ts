import { randomUUID } from 'node:crypto';
import { type RequestBody, SpooledText } from './request-body.ts';

/** Length in bytes from which on texts are stored in a file. */
export const LONG_TEXT = 16 * 1024;

/**
 * Splits a body: long texts are extracted, and the rest, with a marker in place of each, is small enough to be parsed
 * in memory.
 */
export interface Extractor {
  /** Processes the next chunk; `last` marks the final one. @throws ApiError 400, ParamsError */
  feed(chunk: Buffer, last: boolean): void;
}

/** Collects the output of an extractor; it is taken out in between. */
export class TextSink {
  /** Prefix of markers; clients cannot guess it. */
  readonly marker = `~text-${randomUUID()}-`;
  readonly #spans: { start: number; size: number }[] = [];
  #rest: Buffer[] = [];
  #long: Buffer[] = [];
  #start = 0;
  #at = 0;

  /** Adds bytes to the rest of the body. */
  keep(bytes: Buffer): void {
    this.#rest.push(bytes);
  }

  /** Adds bytes to the current long text. */
  spool(bytes: Buffer): void {
    this.#long.push(bytes);
    this.#at += bytes.length;
  }

  /** Ends the long text. @returns its marker: letters, digits, `-` and `~` */
  endText(): string {
    this.#spans.push({ start: this.#start, size: this.#at - this.#start });
    this.#start = this.#at;
    return `${this.marker}${this.#spans.length - 1}~`;
  }

  /** Output since the last call. */
  take(): { rest: Buffer[]; long: Buffer[] } {
    const taken = { rest: this.#rest, long: this.#long };
    this.#rest = [];
    this.#long = [];
    return taken;
  }

  /** Replaces markers in the parsed rest by the long texts. */
  restore(value: unknown, owner: RequestBody, path: string): unknown {
    if (typeof value === 'string') {
      if (!value.startsWith(this.marker)) return value;
      const { start, size } = this.#spans[Number(value.slice(this.marker.length, -1))]!;
      return new SpooledText(owner, path, start, size);
    }
    if (typeof value === 'object' && value !== null) {
      const record = value as Record<string, unknown>;
      for (const key of Object.keys(record)) record[key] = this.restore(record[key], owner, path);
    }
    return value;
  }
}
