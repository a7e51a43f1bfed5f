import type { Repository } from '../git.repository.ts';
import type { Question } from './question.ts';

/**
 * Asks something about a repository, of a thread where there is one.
 * @param args as the question's function takes them after the repository
 * @throws what the question throws
 */
export async function ask<Args extends readonly unknown[], Answer>(
  repo: Repository,
  question: Question<Args, Answer>,
  ...args: Args
): Promise<Answer> {
  // What is being written of the indexes is known in this thread alone.
  const answer = repo.history.isIndexing ? undefined : await repo.readers.ask(repo, question.name, args);
  return answer === undefined ? await question.find(repo, ...args) : (answer.value as Answer);
}
