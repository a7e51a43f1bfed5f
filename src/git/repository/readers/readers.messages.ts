import type { GitErrorCode } from '../../common/index.ts';

/** A question to a thread. */
export interface QuestionMessage {
  type: 'question';
  number: number;
  /** Id and directory of the repository. */
  id: string;
  dir: string;
  name: string;
  args: readonly unknown[];
  /** Caller as in `RequestScope`. */
  caller: string;
}

/** Messages to a thread. */
export type ToThread =
  | QuestionMessage
  /** The answer is no longer needed. */
  | { type: 'leave'; number: number }
  /** The repository is about to be moved or removed. */
  | { type: 'forget'; id: string };

/** Messages from a thread: `unanswered` returns a question to its caller. */
export type FromThread =
  | { type: 'ready' }
  | { type: 'answer'; number: number; value: unknown }
  | { type: 'refusal'; number: number; code: GitErrorCode; message: string; exitCode: number | undefined }
  | { type: 'unanswered'; number: number };
