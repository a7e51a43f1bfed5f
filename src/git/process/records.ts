import type { Readable } from 'node:stream';
import { GitError } from '../common/index.ts';
import { gitFailure } from './git.failure.ts';
import { type GitChild, type GitOptions, killedError, spawnGit } from './git.process.ts';

export interface RecordOptions extends GitOptions {
  /** Written to standard input, which is then closed. */
  input?: Buffer | string;
  /** Terminator of a record; default 10 (newline). */
  separator?: number;
  /** Maximum length of a record in bytes; longer ones are truncated; default: unlimited. */
  maxRecord?: number;
  /** Maximum output in bytes, above which the child is ended with `output_too_large`; default 256 MiB. */
  maxOutput?: number;
}

/** Receives a record without its separator; `false` ends the reading early, which is not a failure. */
export type OnRecord = (record: Buffer, wholeLength: number) => unknown;

/** Like `OnRecord`, for a record as a range of a buffer, without a copy. */
export type OnSpan = (bytes: Buffer, start: number, end: number, wholeLength: number) => unknown;

const spanOf =
  (onRecord: OnRecord): OnSpan =>
  (bytes, start, end, wholeLength) =>
    onRecord(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), wholeLength);

/** Splits chunks into records; copies only those that span chunks. */
export class Splitter {
  readonly #separator: number;
  readonly #maxRecord: number;
  readonly #onSpan: OnSpan;
  #parts: Buffer[] = [];
  #bufferedBytes = 0;
  #length = 0;

  constructor(separator: number, maxRecord: number, onSpan: OnSpan) {
    this.#separator = separator;
    this.#maxRecord = maxRecord;
    this.#onSpan = onSpan;
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#bufferedBytes >= this.#maxRecord || part.length === 0) return;
    const cut = part.subarray(0, this.#maxRecord - this.#bufferedBytes);
    this.#parts.push(cut);
    this.#bufferedBytes += cut.length;
  }

  /** Emits the buffered record; returns whether to continue. */
  flush(): boolean {
    const record = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const length = this.#length;
    this.#parts = [];
    this.#bufferedBytes = 0;
    this.#length = 0;
    return this.#onSpan(record, 0, record.length, length) !== false;
  }

  /** @returns false once `onRecord` has returned false */
  push(chunk: Buffer): boolean {
    let at = 0;
    for (let end = chunk.indexOf(this.#separator); end >= 0; end = chunk.indexOf(this.#separator, at)) {
      if (this.#length > 0) {
        this.#keep(chunk.subarray(at, end));
        if (!this.flush()) return false;
      } else if (this.#onSpan(chunk, at, Math.min(end, at + this.#maxRecord), end - at) === false) return false;
      at = end + 1;
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at));
    return true;
  }

  get pending(): boolean {
    return this.#length > 0;
  }
}

async function split(stdout: Readable, splitter: Splitter, maxOutput: number): Promise<'end' | 'stopped' | 'large'> {
  let size = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxOutput) return 'large';
    if (!splitter.push(chunk)) return 'stopped';
  }
  return splitter.pending && !splitter.flush() ? 'stopped' : 'end';
}

/**
 * Runs a git command and passes on its output record by record; memory holds one chunk.
 * @throws GitError `failed` for an exit code other than 0, `timeout`, `aborted`, `output_too_large`, `busy`
 */
export async function readRecords(args: readonly string[], options: RecordOptions, onRecord: OnRecord): Promise<void> {
  const git = await spawnGit(args, options);
  const splitter = new Splitter(
    options.separator ?? 10,
    options.maxRecord ?? Number.POSITIVE_INFINITY,
    spanOf(onRecord),
  );
  const maxOutput = options.maxOutput ?? 256 * 1024 * 1024;
  git.stdin.end(options.input ?? '');
  let how: 'end' | 'stopped' | 'large' | 'thrown' = 'thrown';
  try {
    how = await split(git.stdout, splitter, maxOutput);
  } finally {
    if (how !== 'end') git.kill();
  }
  if (how === 'large') {
    await git.done;
    throw new GitError('output_too_large', `git ${args[0]}: more than ${maxOutput} bytes of output`);
  }
  if (how === 'stopped') await git.done;
  else await mustEndWell(git, args[0]);
}

async function mustEndWell(git: GitChild, name: string | undefined): Promise<void> {
  const { code, stderr, killed } = await git.done;
  if (killed !== null) throw killedError(killed, `git ${name}`);
  if (code !== 0) throw gitFailure(name, code, stderr);
}

/** A record without its separator, truncated at `maxRecord`, with its full length. */
export interface CompleteRecord {
  record: Buffer;
  length: number;
}

/**
 * Like `readRecords`, for asynchronous consumers: yields the records of each chunk together. Git waits for the
 * consumer, and an early return ends it.
 * @throws GitError `failed`, `timeout`, `aborted`, `busy`
 */
export async function* recordBatches(
  args: readonly string[],
  options: Omit<RecordOptions, 'maxOutput'>,
): AsyncGenerator<CompleteRecord[], void> {
  const git = await spawnGit(args, options);
  let batch: CompleteRecord[] = [];
  const keep: OnRecord = (record, length) => batch.push({ record, length }) > 0;
  const splitter = new Splitter(options.separator ?? 10, options.maxRecord ?? Number.POSITIVE_INFINITY, spanOf(keep));
  git.stdin.end(options.input ?? '');
  let ended = false;
  try {
    for await (const chunk of git.stdout as AsyncIterable<Buffer>) {
      splitter.push(chunk);
      const full = batch;
      batch = [];
      if (full.length > 0) yield full;
    }
    ended = true;
  } finally {
    if (!ended) git.kill();
  }
  if (splitter.pending) splitter.flush();
  if (batch.length > 0) yield batch;
  await mustEndWell(git, args[0]);
}
