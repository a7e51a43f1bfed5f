import type { FileResult } from './pool.ts';

/** Interval of the lines in milliseconds where there is no terminal. */
const EVERY_MS = 60_000;

interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Prints how far a suite is, on a terminal in one line that is overwritten, elsewhere in a line a minute; and each failed test. */
export class Progress {
  readonly #suite: string;
  readonly #files: number;
  readonly #output: Output;
  readonly #now: () => number;
  readonly #started: number;
  #printedAt: number;
  #done = 0;
  #failed = 0;

  /** @param files of the suite, in number; `now` milliseconds of a clock */
  constructor(suite: string, files: number, output: Output = process.stdout, now: () => number = Date.now) {
    this.#suite = suite;
    this.#files = files;
    this.#output = output;
    this.#now = now;
    this.#started = now();
    this.#printedAt = this.#started;
  }

  /** Counts a file that is done, and prints what failed in it. */
  add({ failures }: Pick<FileResult, 'failures'>): void {
    this.#done += 1;
    this.#failed += failures.length;
    const now = this.#now();
    if (failures.length > 0) this.end();
    for (const { file, line, name } of failures) this.#output.write(`  failed: ${file}:${line} ${name}\n`);
    if (this.#output.isTTY) this.#output.write(`\r\x1b[K${this.#line(now)}`);
    else if (now - this.#printedAt >= EVERY_MS) {
      this.#printedAt = now;
      this.#output.write(`${this.#line(now)}\n`);
    }
  }

  /** Removes the line. */
  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\x1b[K');
  }

  #line(now: number): string {
    const seconds = Math.round((now - this.#started) / 1_000);
    return `${this.#suite}: ${this.#done} of ${this.#files} files, ${this.#failed} failed, ${seconds} s`;
  }
}
