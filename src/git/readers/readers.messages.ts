import type { GitErrorCode } from '../git.errors.ts';

/** A question to a thread. */
export interface AskedQuestion {
  type: 'question';
  number: number;
  /** Of the repository: its id and directory. */
  id: string;
  dir: string;
  name: string;
  args: readonly unknown[];
  /** Who asks, as in `RequestScope`. */
  caller: string;
}

/** What a thread is told. */
export type ToThread =
  | AskedQuestion
  /** Nobody waits for the answer any more. */
  | { type: 'leave'; number: number }
  /** A repository is about to be moved or removed. */
  | { type: 'forget'; id: string };

/** What a thread says: `unanswered` is a question that it leaves to whoever asked. */
export type FromThread =
  | { type: 'ready' }
  | { type: 'answer'; number: number; value: unknown }
  | { type: 'refusal'; number: number; code: GitErrorCode; message: string; exitCode: number | undefined }
  | { type: 'unanswered'; number: number };
