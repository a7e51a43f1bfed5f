import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { changedFiles } from '../../../git/diff/index.ts';
import type { Commit } from '../../../git/objects/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { presentCommit } from '../../code/index.ts';

/**
 * Reads from git; returns `otherwise` for objects that no longer exist, for example after a force push.
 * @throws GitError if git is temporarily unavailable
 */
export async function orElse<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const lasting = ['failed', 'not_found', 'corrupt', 'invalid', 'output_too_large'];
    if (error instanceof GitError && lasting.includes(error.code)) return otherwise;
    throw error;
  }
}

/** Renders a commit for payloads. @param webUrl URL of the project */
export function commitPayload(commit: Commit, webUrl: string) {
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

/** Renders a commit with the files that it adds, modifies and removes. */
export async function commitPayloadWithFiles(repo: Repository, commit: Commit, webUrl: string) {
  const none = { added: [], modified: [], removed: [] };
  const files = await orElse(() => changedFiles(repo, commit.parents[0] ?? null, commit.oid), none);
  return { ...commitPayload(commit, webUrl), ...files };
}

/** Returns a commit by its id or that of a tag; null if there is none. */
export async function commitAt(repo: Repository, oid: string): Promise<Commit | null> {
  return await orElse(async () => {
    const tag = await repo.objects.tag(oid);
    return await repo.objects.commit(tag?.object ?? oid);
  }, null);
}

/** URL of a project. */
export const webUrlOf = (deps: Deps, fullPath: string): string => `${deps.externalUrl()}/${fullPath}`;
