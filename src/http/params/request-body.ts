import { randomUUID } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Resources of one request's body: temporary files and memory, released when the request ends. */
export class RequestBody {
  readonly #folder: string;
  readonly #take: (bytes: number, signal: AbortSignal) => Promise<() => void>;
  readonly #left = new AbortController();
  readonly #paths: string[] = [];
  readonly #holds: (() => void)[] = [];
  #claimed = false;
  #released = false;

  /**
   * @param folder folder of the files
   * @param take waits until this many bytes of memory may be used; returns a function that returns them
   */
  constructor(folder: string, take: (bytes: number, signal: AbortSignal) => Promise<() => void>) {
    this.#folder = folder;
    this.#take = take;
  }

  /** Creates the folder of the files. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Path of a new file. @throws Error if the request has ended */
  newPath(kind: string): string {
    if (this.#released) throw new Error('the request has ended');
    const path = join(this.#folder, `${kind}-${randomUUID()}`);
    this.#paths.push(path);
    return path;
  }

  /** Waits until this many bytes of memory may be used. @throws ApiError 429, 503 if too many requests wait */
  async hold(bytes: number): Promise<void> {
    const leave = await this.#take(bytes, this.#left.signal);
    if (this.#released) leave();
    else this.#holds.push(leave);
  }

  /** Marks the body as used by a handler, so that it outlasts a disconnected client. */
  claim(): void {
    this.#claimed = true;
  }

  /** To be called when the client has disconnected, with or without an answer. */
  async clientLeft(): Promise<void> {
    // Aborting takes as long as a query, and nothing waits any more.
    if (this.#released) return;
    this.#left.abort();
    if (!this.#claimed) await this.release();
  }

  /** Releases everything. */
  async release(): Promise<void> {
    this.#released = true;
    for (const leave of this.#holds.splice(0)) leave();
    await Promise.all(this.#paths.splice(0).map((path) => rm(path, { force: true })));
  }
}

/** Maximum length of a text parameter that is not a file. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** A long text of a body, stored as UTF-8 in a file. A class, so that parameters of a client cannot imitate it. */
export class SpooledText {
  /** The body that it belongs to. */
  readonly owner: RequestBody;
  readonly #path: string;
  readonly #start: number;
  /** Size in bytes of UTF-8. */
  readonly size: number;

  constructor(owner: RequestBody, path: string, start: number, size: number) {
    this.owner = owner;
    this.#path = path;
    this.#start = start;
    this.size = size;
  }

  /** Content as a stream. */
  open(): Readable {
    return createReadStream(this.#path, {
      start: this.#start,
      end: this.#start + this.size - 1,
      highWaterMark: 256 * 1024,
    });
  }

  /** The text, for parameters that are stored as text; null if it exceeds their maximum length. */
  read(): string | null {
    if (this.size > MAX_TEXT_BYTES) return null;
    const bytes = Buffer.alloc(this.size);
    const file = openSync(this.#path, 'r');
    try {
      for (let at = 0; at < bytes.length; ) {
        const count = readSync(file, bytes, at, bytes.length - at, this.#start + at);
        if (count === 0) throw new Error('the text of a request is truncated');
        at += count;
      }
    } finally {
      closeSync(file);
    }
    return bytes.toString('utf8');
  }
}
