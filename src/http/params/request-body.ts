import { randomUUID } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** What the body of one request takes up: temporary files, and memory. All of it is given back when the request ends. */
export class RequestBody {
  readonly #folder: string;
  readonly #take: (bytes: number, signal: AbortSignal) => Promise<() => void>;
  readonly #left = new AbortController();
  readonly #paths: string[] = [];
  readonly #holds: (() => void)[] = [];
  #claimed = false;
  #released = false;

  /**
   * @param folder where the files are made
   * @param take waits until so many bytes of memory may be used; gives what gives them back
   */
  constructor(folder: string, take: (bytes: number, signal: AbortSignal) => Promise<() => void>) {
    this.#folder = folder;
    this.#take = take;
  }

  /** Makes the folder of the files. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Path of a file that is to be made. @throws Error when the request has ended */
  newPath(kind: string): string {
    if (this.#released) throw new Error('the request has ended');
    const path = join(this.#folder, `${kind}-${randomUUID()}`);
    this.#paths.push(path);
    return path;
  }

  /** Waits until so many bytes of memory may be used. @throws ApiError 429, 503 while too many wait */
  async hold(bytes: number): Promise<void> {
    const leave = await this.#take(bytes, this.#left.signal);
    if (this.#released) leave();
    else this.#holds.push(leave);
  }

  /** Says that a handler works with it, so that it outlasts a client that leaves. */
  claim(): void {
    this.#claimed = true;
  }

  /** To be called when the client is gone, be it with their answer. */
  async clientLeft(): Promise<void> {
    // To abort takes as long as a query, and nobody waits for anything any more.
    if (this.#released) return;
    this.#left.abort();
    if (!this.#claimed) await this.release();
  }

  /** Gives everything back. */
  async release(): Promise<void> {
    this.#released = true;
    for (const leave of this.#holds.splice(0)) leave();
    await Promise.all(this.#paths.splice(0).map((path) => rm(path, { force: true })));
  }
}

/** The longest text that a parameter which is no file can have. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * A text of a body that is too long to be kept in memory: UTF-8 in a file. A class, so that no parameters of a client's
 * making pass for one.
 */
export class SpooledText {
  /** What it belongs to. */
  readonly owner: RequestBody;
  readonly #path: string;
  readonly #start: number;
  /** Bytes of UTF-8. */
  readonly size: number;

  constructor(owner: RequestBody, path: string, start: number, size: number) {
    this.owner = owner;
    this.#path = path;
    this.#start = start;
    this.size = size;
  }

  /** Its bytes. */
  open(): Readable {
    return createReadStream(this.#path, {
      start: this.#start,
      end: this.#start + this.size - 1,
      highWaterMark: 256 * 1024,
    });
  }

  /** The text itself, for parameters that are kept as texts; null when it is longer than any of these can be. */
  read(): string | null {
    if (this.size > MAX_TEXT_BYTES) return null;
    const bytes = Buffer.alloc(this.size);
    const file = openSync(this.#path, 'r');
    try {
      for (let at = 0; at < bytes.length; ) {
        const count = readSync(file, bytes, at, bytes.length - at, this.#start + at);
        if (count === 0) throw new Error('a text of a request is cut off');
        at += count;
      }
    } finally {
      closeSync(file);
    }
    return bytes.toString('utf8');
  }
}
