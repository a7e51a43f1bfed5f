import type { ChildProcess } from 'node:child_process';
import { isRepository } from './damage.ts';
import { GitError, tellsOfDamage } from './errors.ts';
import type { ObjectType } from './objects.ts';
import { killGroup, startGit } from './process.ts';

export interface ObjectInfo {
  oid: string;
  type: ObjectType;
  /** Bytes of content. */
  size: number;
}

export interface CatFileAnswer extends ObjectInfo {
  /** The content, where it was asked for and is not larger than asked. */
  data: Buffer | null;
}

export interface CatFileRequest {
  /** `info` or `contents`. */
  command: 'info' | 'contents';
  /** Checked by the caller: no white space and no NUL. */
  name: string;
  /** A larger object is answered without its data, at the price of this process. */
  maxBytes: number;
  /** How often a process died while this request was its next one. */
  attempts: number;
  resolve(answer: CatFileAnswer | null): void;
  reject(error: Error): void;
}

interface Body {
  info: ObjectInfo;
  data: Buffer;
  filled: number;
}

export interface CatFileEnd {
  unanswered: CatFileRequest[];
  stderr: string;
  /** The process could not start, or the repository is not there. */
  hopeless: boolean;
  /** The repository's directory. */
  dir: string;
  /** The first unanswered request is the likely cause. */
  guilty: boolean;
}

/** Milliseconds without an answer after which a process counts as hung. */
const STALL_MS = 30_000;
const MAX_LINE = 16 * 1024;
const MAX_STDERR = 4 * 1024;
const HEADER = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/;

/** One `git cat-file --batch-command`, whose requests are pipelined and answered in order. */
export class CatFile {
  readonly #child: ChildProcess;
  readonly #queue: CatFileRequest[] = [];
  #head = 0;
  #line = '';
  #body: Body | undefined;
  #stderr = '';
  #spawnFailed = false;
  #ended = false;
  #killed = false;
  #guilty = true;
  #corked = false;
  #lastAnswer = performance.now();

  /** @param onEnd called once, when the process is gone */
  constructor(dir: string, onEnd: (end: CatFileEnd) => void) {
    this.#child = startGit(['cat-file', '--batch-command'], { gitDir: dir });
    const finish = () => {
      if (this.#ended) return;
      this.#ended = true;
      onEnd({
        unanswered: this.#queue.slice(this.#head),
        stderr: this.#stderr,
        hopeless: this.#spawnFailed || this.#stderr.includes('not a git repository'),
        dir,
        guilty: this.#guilty,
      });
    };
    this.#child.on('error', (error) => {
      this.#spawnFailed = this.#child.pid === undefined;
      this.#stderr += error.message;
      if (this.#spawnFailed) finish();
    });
    this.#child.on('close', finish);
    this.#child.stdin!.on('error', () => {});
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      // Only the newest words matter: notes about ambiguous names come first, the reason of an end last.
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
  }

  /** Whether git has told of damage since this process started. */
  get damaged(): boolean {
    return tellsOfDamage(this.#stderr);
  }

  get pending(): number {
    return this.#queue.length - this.#head;
  }

  send(request: CatFileRequest): void {
    if (this.pending === 0) this.#lastAnswer = performance.now();
    this.#queue.push(request);
    const stdin = this.#child.stdin!;
    if (!this.#corked) {
      this.#corked = true;
      stdin.cork();
      queueMicrotask(() => {
        this.#corked = false;
        stdin.uncork();
      });
    }
    stdin.write(`${request.command} ${request.name}\n`);
  }

  /** Lets the process answer what it has and end. */
  retire(): void {
    this.#child.stdin!.end();
  }

  /** Ends the process at once. */
  kill(): void {
    this.#killed = true;
    killGroup(this.#child);
  }

  /** Ends the process where its next answer is overdue. */
  check(now: number): void {
    if (this.pending > 0 && now - this.#lastAnswer > STALL_MS) this.kill();
  }

  #answer(answer: CatFileAnswer | null): void {
    const request = this.#queue[this.#head]!;
    this.#head += 1;
    if (this.#head > 1_000 || this.#head === this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    this.#lastAnswer = performance.now();
    request.resolve(answer);
  }

  #read(chunk: Buffer): void {
    this.#lastAnswer = performance.now();
    for (let at = 0; at < chunk.length && !this.#killed; ) {
      if (this.#body !== undefined) {
        at = this.#readBody(this.#body, chunk, at);
        continue;
      }
      const end = chunk.indexOf(10, at);
      this.#line += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
      if (this.#line.length > MAX_LINE) this.kill();
      if (end < 0) return;
      at = end + 1;
      const line = this.#line;
      this.#line = '';
      if (!this.#readHeader(line)) return;
    }
  }

  #readBody(body: Body, chunk: Buffer, at: number): number {
    const copied = chunk.copy(body.data, body.filled, at, at + body.data.length - body.filled);
    body.filled += copied;
    const next = at + copied;
    // The content is followed by a line feed.
    if (body.filled < body.data.length || next >= chunk.length) return next;
    this.#body = undefined;
    this.#answer({ ...body.info, data: body.data });
    return next + 1;
  }

  /** Takes one header line; false when nothing more is to be read from this process. */
  #readHeader(line: string): boolean {
    const request = this.#queue[this.#head];
    if (request === undefined) {
      this.kill();
      return false;
    }
    const match = HEADER.exec(line);
    if (match === null) {
      if (line.endsWith(' missing') || line.endsWith(' ambiguous')) {
        this.#answer(null);
        return true;
      }
      this.kill();
      return false;
    }
    const info: ObjectInfo = { oid: match[1]!, type: match[2] as ObjectType, size: Number(match[3]) };
    if (request.command === 'info') {
      this.#answer({ ...info, data: null });
    } else if (info.size > request.maxBytes) {
      this.#answer({ ...info, data: null });
      this.#guilty = false;
      this.kill();
      return false;
    } else {
      this.#body = { info, data: Buffer.allocUnsafeSlow(info.size), filled: 0 };
    }
    return true;
  }
}

/** Makes the error of a request that brought down two processes. */
export function catFileError(end: CatFileEnd, name: string): GitError {
  const corrupt =
    tellsOfDamage(end.stderr) || /corrupt|bad object|unable to read/i.test(end.stderr) || !isRepository(end.dir);
  return new GitError(corrupt ? 'corrupt' : 'failed', `git cat-file ${name}: ${end.stderr.trim()}`);
}
