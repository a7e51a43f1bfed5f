import type { Commit } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { countCommits, listCommits } from './log.ts';

/** Commits of one history that are not in another. */
export interface CommitsBetween {
  /** The newest of them, oldest first. */
  commits: readonly Commit[];
  total: number;
}

/**
 * Commits reachable from `to` but not from `not`, in git's order.
 * @param to a commit
 * @param not a commit; null for none
 * @param limit maximum number of commits returned; all are counted
 * @throws GitError as `listCommits`
 */
export async function commitsBetween(
  repo: Repository,
  to: string,
  not: string | null,
  limit: number,
): Promise<CommitsBetween> {
  const without = not === null ? [] : [not];
  const oids = await listCommits(repo, { from: [to], not: without, limit });
  const commits = await Promise.all(oids.map((oid) => repo.objects.commit(oid)));
  const total = await countCommits(repo, [to], { not: without });
  return { commits: commits.filter((commit) => commit !== null).reverse(), total };
}
