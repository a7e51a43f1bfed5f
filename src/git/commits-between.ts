import type { Commit } from './git.objects.ts';
import type { Repository } from './git.repository.ts';
import { countCommits, listCommits } from './log.ts';

/** What one commit has and another has not. */
export interface CommitsBetween {
  /** The newest of them, the oldest of these first. */
  commits: readonly Commit[];
  total: number;
}

/**
 * The commits that `to` reaches and `not` does not, in git's order.
 * @param to a commit
 * @param not a commit; null for nothing
 * @param limit of commits that are given; all are counted
 * @throws GitError as `listCommits` does
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
