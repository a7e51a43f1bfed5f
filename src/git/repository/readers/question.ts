import type { Repository } from '../git.repository.ts';

/**
 * A question about a repository that a reader thread can answer. Arguments and answers are copied between threads:
 * plain values, dates, and bytes that own their memory.
 */
export interface Question<Args extends readonly unknown[] = never, Answer = unknown> {
  /** Name of the question in messages. */
  readonly name: string;
  /** Computes the answer. */
  readonly find: (repo: Repository, ...args: Args) => Promise<Answer>;
}
