import { writeCommit } from '../commits/index.ts';
import { listCommits } from '../history/index.ts';
import type { Commit, NewIdentity } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { cherryPick } from './git.merge.ts';

/** Maximum number of commits of a rebase: each takes git some milliseconds. */
const MAX_COMMITS = 5_000;
const ZONE = /^[+-](?:0\d|1[0-4])[0-5]\d$/;

export type RebaseResult =
  | { kind: 'done'; oid: string }
  | { kind: 'conflict'; commit: string }
  /** Too many commits to rebase. */
  | { kind: 'too_many' };

/** Author of a commit, for a rewritten one. Old commits may have time zones that new ones may not have. */
export function originalAuthor({ author }: Commit): NewIdentity {
  const { name, email, date, timezone } = author;
  return { name: name || 'Unknown', email, date, timezone: ZONE.test(timezone) ? timezone : '+0000' };
}

/**
 * Rewrites the commits of `head` that are not in `onto`, one by one, with their authors and messages. Skips merge
 * commits and commits without changes. Moves no reference.
 * @throws GitError `failed` if a commit does not exist; the signal's reason if aborted
 */
export async function rebaseCommits(
  repo: Repository,
  { head, onto, committer }: { head: string; onto: string; committer: NewIdentity },
  signal?: AbortSignal,
): Promise<RebaseResult> {
  const query = { from: [head], not: [onto], noMerges: true, order: 'topo', limit: MAX_COMMITS + 1 } as const;
  const commits = await listCommits(repo, query);
  if (commits.length > MAX_COMMITS) return { kind: 'too_many' };
  let tip = onto;
  for (const oid of commits.toReversed()) {
    signal?.throwIfAborted();
    const commit = (await repo.objects.commit(oid))!;
    if (commit.parents.length === 1 && commit.parents[0] === tip) {
      tip = oid;
      continue;
    }
    const picked = await cherryPick(repo, { commit: oid, onto: tip });
    if (picked.kind === 'conflict') return { kind: 'conflict', commit: oid };
    if (picked.kind === 'empty') continue;
    const author = originalAuthor(commit);
    const rebased = { tree: picked.tree, parents: [tip], author, committer, message: commit.message };
    tip = await writeCommit(repo, rebased, picked.objects);
  }
  return { kind: 'done', oid: tip };
}
