import type { Deps } from '../../../deps.ts';
import { changedFiles } from '../../../git/changed-files.ts';
import { GitError } from '../../../git/errors.ts';
import type { Commit } from '../../../git/objects.ts';
import type { Repository } from '../../../git/repository.ts';
import { presentCommit } from '../../code/index.ts';

/**
 * Asks git; what it no longer has, for later pushes may have made it useless, is told as `otherwise`.
 * @throws GitError where it cannot be asked at the moment
 */
export async function ifThere<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const lasting = ['failed', 'not_found', 'corrupt', 'invalid', 'output_too_large'];
    if (error instanceof GitError && lasting.includes(error.code)) return otherwise;
    throw error;
  }
}

/** A commit as messages show one. @param webUrl of the project */
export function toldCommit(commit: Commit, webUrl: string) {
  const { id, message, title, committed_date, author_name, author_email, web_url } = presentCommit(commit, webUrl);
  return {
    id,
    message,
    title,
    timestamp: committed_date.replace(/\.\d+/, ''),
    url: web_url,
    author: { name: author_name, email: author_email },
  };
}

/** The same with the files that it adds, changes and removes. */
export async function toldCommitWithFiles(repo: Repository, commit: Commit, webUrl: string) {
  const none = { added: [], modified: [], removed: [] };
  const files = await ifThere(() => changedFiles(repo, commit.parents[0] ?? null, commit.oid), none);
  return { ...toldCommit(commit, webUrl), ...files };
}

/** A commit by its id or that of a tag on it; null where there is none. */
export async function commitAt(repo: Repository, oid: string): Promise<Commit | null> {
  return await ifThere(async () => {
    const tag = await repo.objects.tag(oid);
    return await repo.objects.commit(tag?.object ?? oid);
  }, null);
}

/** Address of a project's pages. */
export const webUrlOf = (deps: Deps, fullPath: string): string => `${deps.externalUrl()}/${fullPath}`;
