import type { Repository } from '../repository.ts';
import { type Answers, type Arguments, finders, type QuestionName } from './questions.ts';

/**
 * Asks something about a repository, of a thread where there is one.
 * @param name of the question; `args` as its function takes them after the repository
 * @throws what the question throws
 */
export async function ask<Name extends QuestionName>(
  repo: Repository,
  name: Name,
  ...args: Arguments[Name]
): Promise<Answers[Name]> {
  const answer = await repo.readers.ask(repo, name, args);
  return answer === undefined ? await finders[name](repo, ...args) : (answer.value as Answers[Name]);
}
