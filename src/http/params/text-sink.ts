import { randomUUID } from 'node:crypto';
import { type RequestBody, SpooledText } from './request-body.ts';

/** Texts longer than this, in bytes, wait in a file. */
export const LONG_TEXT = 16 * 1024;

/**
 * Takes a body apart: long texts go to one file, and the rest, in which a marker stands for each of them, is small enough
 * to be parsed in memory.
 */
export interface Extractor {
  /** Takes the next bytes; `last` says that none follow. @throws ApiError 400, ParamsError */
  feed(chunk: Buffer, last: boolean): void;
}

/** Collects what an extractor tells apart; what it has taken is handed on in between. */
export class TextSink {
  /** Begins every marker; no client can know it. */
  readonly marker = `~text-${randomUUID()}-`;
  readonly #spans: { start: number; size: number }[] = [];
  #rest: Buffer[] = [];
  #long: Buffer[] = [];
  #start = 0;
  #at = 0;

  /** Bytes that stay in the body. */
  keep(bytes: Buffer): void {
    this.#rest.push(bytes);
  }

  /** Bytes of the long text that is being read. */
  spool(bytes: Buffer): void {
    this.#long.push(bytes);
    this.#at += bytes.length;
  }

  /** Ends the long text. @returns what stands for it in the body: letters, digits, `-` and `~` */
  endText(): string {
    this.#spans.push({ start: this.#start, size: this.#at - this.#start });
    this.#start = this.#at;
    return `${this.marker}${this.#spans.length - 1}~`;
  }

  /** What has been collected since the last call. */
  take(): { rest: Buffer[]; long: Buffer[] } {
    const taken = { rest: this.#rest, long: this.#long };
    this.#rest = [];
    this.#long = [];
    return taken;
  }

  /** Puts the long texts back in the place of their markers, in what the rest was parsed to. */
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
