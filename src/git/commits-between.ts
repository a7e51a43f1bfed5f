import { countCommits, listCommits } from './log.ts';
import type { Commit } from './objects.ts';
import type { Repository } from './repository.ts';

/** Commits that are read one by one before it is left to git processes. */
const MAX_WALK = 1_000;
/** How often the walk looks on when all that waits is known: clocks of authors differ. */
const SLOP = 5;

/** What one commit has and another has not. */
export interface CommitsBetween {
  /** The newest of them, the oldest of these first. */
  commits: readonly Commit[];
  total: number;
}

/**
 * The commits that `to` reaches and `not` does not, in git's order. Few are found without a process.
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
  const walked = await walk(repo, to, not);
  if (walked !== null) return { commits: walked.slice(0, limit).reverse(), total: walked.length };
  const without = not === null ? [] : [not];
  const oids = await listCommits(repo, { from: [to], not: without, limit });
  const commits = await Promise.all(oids.map((oid) => repo.objects.commit(oid)));
  const total = await countCommits(repo, [to], { not: without });
  return { commits: commits.filter((commit) => commit !== null).reverse(), total };
}

interface Seen {
  commit: Commit;
  /** Whether `not` reaches it. */
  known: boolean;
}

/** The newest first; null where there are many, or one is missing. */
async function walk(repo: Repository, to: string, not: string | null): Promise<Commit[] | null> {
  const seen = new Map<string, Seen>();
  const waiting: Seen[] = [];
  const found: Seen[] = [];
  const visit = async (oid: string, known: boolean): Promise<boolean> => {
    const before = seen.get(oid);
    if (before !== undefined) {
      if (known && !before.known) markKnown(seen, before);
      return true;
    }
    const commit = await repo.objects.commit(oid);
    if (commit === null) return false;
    const entry = { commit, known };
    seen.set(oid, entry);
    // Of commits of one second the one that was found first comes first, as with git.
    const at = waiting.findIndex(({ commit: other }) => other.committer.timestamp < commit.committer.timestamp);
    waiting.splice(at === -1 ? waiting.length : at, 0, entry);
    return true;
  };
  if (!(await visit(to, false))) return null;
  if (not !== null && !(await visit(not, true))) return null;
  let slop = SLOP;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (seen.size > MAX_WALK) return null;
    if (!next.known) found.push(next);
    for (const parent of next.commit.parents) if (!(await visit(parent, next.known))) return null;
    slop = waiting.some(({ known }) => !known) ? SLOP : slop - 1;
    if (slop < 0) break;
  }
  return found.filter(({ known }) => !known).map(({ commit }) => commit);
}

/** Marks what was reached from both ends, and all of its ancestors that were seen. */
function markKnown(seen: ReadonlyMap<string, Seen>, entry: Seen): void {
  const stack = [entry];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.known) continue;
    next.known = true;
    for (const parent of next.commit.parents) {
      const above = seen.get(parent);
      if (above !== undefined) stack.push(above);
    }
  }
}
