import type { Repository } from '../git.repository.ts';

/**
 * What a thread can be asked about a repository. Arguments and answers are copied from one thread to the other: plain values, dates, and
 * bytes that have their memory for themselves.
 */
export interface Question<Args extends readonly unknown[] = never, Answer = unknown> {
  /** What it is known by in the thread. */
  readonly name: string;
  /** Finds the answer. */
  readonly find: (repo: Repository, ...args: Args) => Promise<Answer>;
}
