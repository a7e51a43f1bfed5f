import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { syncPath } from '../git/files/index.ts';

/** Size and hash of a file, for later verification. */
export interface FileFacts {
  sha256: string;
  /** Bytes as stored. */
  size: number;
}

const MODE = 0o600;

class Measure extends Transform {
  readonly #hash: Hash = createHash('sha256');
  #size = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    done(null, chunk);
  }

  facts(): FileFacts {
    return { sha256: this.#hash.digest('hex'), size: this.#size };
  }
}

/** Writes values as JSON lines, compressed with gzip. */
export class JsonLinesWriter {
  readonly #path: string;
  readonly #gzip: Gzip = createGzip({ level: 5 });
  readonly #measure = new Measure();
  readonly #written: Promise<void>;
  #text = '';

  /** @param path a file that does not exist yet */
  constructor(path: string) {
    this.#path = path;
    this.#written = pipeline(this.#gzip, this.#measure, createWriteStream(path, { flags: 'wx', mode: MODE }));
    this.#written.catch(() => {});
  }

  /** Adds a line; waits for a slow disk. @throws the file system's error */
  async write(value: unknown): Promise<void> {
    this.#text += `${JSON.stringify(value)}\n`;
    if (this.#text.length > 256 * 1024) await this.#flush();
  }

  /** Ends the file; durable when the promise is fulfilled. @throws the file system's error */
  async end(): Promise<FileFacts> {
    await this.#flush();
    this.#gzip.end();
    await this.#written;
    await syncPath(this.#path);
    return this.#measure.facts();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (this.#gzip.destroyed) await this.#written;
    if (this.#gzip.write(text)) return;
    await Promise.race([new Promise((resolve) => this.#gzip.once('drain', resolve)), this.#written]);
  }
}

/** Reads the values of a file written by `JsonLinesWriter`. @throws Error if it is truncated or damaged */
export async function* readJsonLines<T>(path: string): AsyncGenerator<T, void, void> {
  const file = createReadStream(path);
  const text = createGunzip();
  const read = pipeline(file, text);
  read.catch(() => {});
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
    yield JSON.parse(line) as T;
  }
  await read;
}

/** Current size and hash of a file. */
export async function factsOf(path: string): Promise<FileFacts> {
  const measure = new Measure();
  measure.resume();
  await pipeline(createReadStream(path), measure);
  return measure.facts();
}
