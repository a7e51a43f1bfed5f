import type { Repository } from '../git.repository.ts';
import type { Question } from './question.ts';

/**
 * Asks a question about a repository, in a reader thread if one is available.
 * @param args arguments of the question after the repository
 * @throws errors of the question
 */
export async function ask<Args extends readonly unknown[], Answer>(
  repo: Repository,
  question: Question<Args, Answer>,
  ...args: Args
): Promise<Answer> {
  // Only this thread knows the indexes that are being written.
  const answer = repo.history.isIndexing ? undefined : await repo.readers.ask(repo, question.name, args);
  return answer === undefined ? await question.find(repo, ...args) : (answer.value as Answer);
}
