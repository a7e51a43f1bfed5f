import type { ChildProcess } from 'node:child_process';
import { encodeBytes } from './bytes.ts';
import { GitError, tellsOfDamage } from './errors.ts';
import { killGroup, startGit } from './process.ts';

export interface RefUpdate {
  /** Full name below `refs/`. */
  ref: string;
  /** What the reference must hold now; null: it must not exist; left out: anything. */
  old?: string | null | undefined;
  /** What it shall hold; null deletes it. */
  new: string | null;
}

/** How a transaction ended where git did not say `commit: ok`. */
export interface UpdateRefFailure {
  stderr: string;
  /** Whether git may have changed references all the same. */
  unknown: boolean;
}

const STALL_MS = 60_000;
const MAX_STDERR = 16 * 1024;
const MAX_TRANSACTIONS = 500;

/** One `git update-ref --stdin`, which takes one transaction at a time and ends at the first that fails. */
export class UpdateRef {
  readonly #child: ChildProcess;
  readonly #onEnd: () => void;
  #stdout = '';
  #stderr = '';
  #current: { finish: (failure: UpdateRefFailure | null) => void; since: number } | undefined;
  #transactions = 0;
  #ended = false;

  /** @param onEnd called once, when the process is gone */
  constructor(dir: string, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#child = startGit(['update-ref', '--no-deref', '--stdin', '-z'], { gitDir: dir });
    this.#child.on('error', (error) => {
      this.#stderr += error.message;
      if (this.#child.pid === undefined) this.#finish();
    });
    this.#child.on('close', () => this.#finish());
    this.#child.stdin!.on('error', () => {});
    this.#child.stdout!.setEncoding('latin1').on('data', (text: string) => this.#read(text));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (this.#stderr.length < MAX_STDERR) this.#stderr += text;
    });
  }

  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Whether another transaction can be given to it. Git keeps every object it has checked, so its life is bounded. */
  get usable(): boolean {
    return !this.#ended && this.#transactions < MAX_TRANSACTIONS;
  }

  /** Applies all of the updates or none; gives null, or how it failed. Never rejects. */
  run(updates: readonly RefUpdate[], oidDigits: number): Promise<UpdateRefFailure | null> {
    this.#transactions += 1;
    this.#stdout = '';
    const zero = '0'.repeat(oidDigits);
    const parts: Buffer[] = [Buffer.from('start\0')];
    for (const update of updates) {
      const name = encodeBytes(update.ref);
      const old = update.old === null ? zero : (update.old ?? '');
      const verb = update.new === null ? 'delete ' : 'update ';
      const values = update.new === null ? `\0${old}\0` : `\0${update.new}\0${old}\0`;
      parts.push(Buffer.from(verb), name, Buffer.from(values));
    }
    parts.push(Buffer.from('prepare\0commit\0'));
    return new Promise((finish) => {
      this.#current = { finish, since: performance.now() };
      if (this.#ended) this.#settle({ stderr: this.#stderr, unknown: false });
      else this.#child.stdin!.write(Buffer.concat(parts));
    });
  }

  /** Lets the process end once it has nothing to do. */
  retire(): void {
    this.#child.stdin!.end();
  }

  check(now: number): void {
    if (this.#current !== undefined && now - this.#current.since > STALL_MS) killGroup(this.#child);
  }

  #read(text: string): void {
    this.#stdout = (this.#stdout + text).slice(-1_024);
    if (this.#stdout.endsWith('commit: ok\n')) this.#settle(null);
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    // Before `commit` git changes nothing, and it says so when it stops there.
    const refused = /^fatal: (?:prepare|update|delete|invalid)/m.test(this.#stderr);
    this.#settle({ stderr: this.#stderr, unknown: this.#child.pid !== undefined && !refused });
    this.#onEnd();
  }

  #settle(failure: UpdateRefFailure | null): void {
    const current = this.#current;
    this.#current = undefined;
    current?.finish(failure);
  }
}

/** What git's refusal of a transaction means. */
export function refusal(stderr: string): GitError {
  const text = stderr.trim();
  if (/Unable to create .*\.lock/i.test(text)) return new GitError('locked', text);
  if (tellsOfDamage(text)) return new GitError('corrupt', text);
  if (/nonexistent object|non-commit object|multiple updates|cannot process|invalid/.test(text)) {
    return new GitError('invalid', text);
  }
  return new GitError(/cannot lock ref|cannot update ref/.test(text) ? 'conflict' : 'failed', text);
}
