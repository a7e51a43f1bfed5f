import type { Commits, TimeSlice } from '../commit-graph/index.ts';
import { cacheKey, checkOids, GitError, ResultCache } from '../common/index.ts';
import { readRecords, runGit } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { isReachable, reachableOf } from './walks/reachability.ts';
import { walkDown } from './walks/walk-down.ts';

export interface Divergence {
  /** Number of commits in `a` that are not in `b`. */
  ahead: number;
  /** Number of commits in `b` that are not in `a`. */
  behind: number;
}

const MAX_MERGE_BASE_OIDS = 50;
const bases = new ResultCache<{ oids: readonly string[] }>('git_merge_bases', ({ oids }) => 100 * (oids.length + 1));
const merged = new ResultCache<{ merged: boolean }>('git_merged', () => 32);
const divergences = new ResultCache<Divergence>('git_divergences', () => 48);

const ONE = 1;
const OTHER = 2;
const BOTH = ONE | OTHER;
const BELOW = 4;

/** All ids of a repository have the same length. */
const mergedKey = (repo: Repository, target: string, oid: string): string => `${repo.key} ${target}${oid}`;

/** @throws GitError `failed` if there is no such commit */
async function commitNamed(commits: Commits, oid: string): Promise<number> {
  const commit = await commits.named(oid);
  if (commit === null) throw new GitError('failed', `fatal: ${oid} is no commit`);
  return commit;
}

/**
 * Best common ancestor of the first commit and a merge of all others. Serves `GET /projects/:id/repository/merge_base`
 * and the three-dot comparison.
 * @param oids 1 to 50 commits
 * @returns null if they share no history
 * @throws GitError `invalid` for incomplete ids or a wrong number of them, `failed` if one does not exist
 */
export async function mergeBase(repo: Repository, oids: readonly string[]): Promise<string | null> {
  return (await mergeBases(repo, oids))[0] ?? null;
}

/**
 * All best common ancestors, none an ancestor of another; the result of `mergeBase` comes first.
 * @throws GitError as `mergeBase`
 */
export async function mergeBases(repo: Repository, oids: readonly string[]): Promise<readonly string[]> {
  checkOids(oids);
  const [first, ...others] = oids;
  if (first === undefined || oids.length > MAX_MERGE_BASE_OIDS) throw new GitError('invalid', 'merge base of 1 to 50');
  if (others.every((oid) => oid === first)) return [first];
  const result = await bases.get(cacheKey(repo.key, oids), async () => {
    return await repo.history.query({
      walk: async (commits, pace) => ({ oids: await walkToBases(commits, pace, oids) }),
      git: async (env) => {
        const args = ['merge-base', '--all', ...oids];
        const { stdout } = await runGit(args, { gitDir: repo.dir, okCodes: [0, 1], env });
        const lines = stdout.toString('latin1').split('\n');
        return { oids: lines.filter((line) => line !== '') };
      },
    });
  });
  return result.oids;
}

/** Newest first, then first found, as in git. */
async function walkToBases(commits: Commits, pace: TimeSlice, oids: readonly string[]): Promise<string[]> {
  const named: number[] = [];
  for (const oid of oids) named.push(await commitNamed(commits, oid));
  if (named.indexOf(named[0]!, 1) > 0) return [commits.oid(named[0]!)];
  const baseCommits: number[] = [];
  await walkDown(commits, pace, {
    starts: named.map((commit, at) => [commit, at === 0 ? ONE : OTHER] as const),
    isDone: (marks) => (marks & BELOW) !== 0,
    visit: (commit, marks) => {
      if (marks !== BOTH) return marks;
      baseCommits.push(commit);
      return marks | BELOW;
    },
  });
  return baseCommits.sort((a, b) => commits.date(b) - commits.date(a)).map((commit) => commits.oid(commit));
}

/**
 * Which of the given commits are in a target's history, the target itself included. One walk serves all. Serves
 * `merged` of a branch and the deletion of merged branches.
 * @throws GitError `invalid` for incomplete ids, `failed` if one does not exist
 */
export async function mergedInto(repo: Repository, oids: readonly string[], target: string): Promise<Set<string>> {
  checkOids([...oids, target]);
  const keyOf = (oid: string) => mergedKey(repo, target, oid);
  const result = new Set<string>();
  const open = new Set<string>();
  for (const oid of oids) {
    const known = oid === target ? true : merged.peek(keyOf(oid))?.merged;
    if (known === undefined) open.add(oid);
    else if (known) result.add(oid);
  }
  if (open.size === 0) return result;
  const mergedOids = await repo.history.query({
    walk: (commits, pace) => walkToMerged(commits, pace, open, target),
    git: (env) => askForMerged(repo, open, target, env),
  });
  for (const oid of open) {
    if (mergedOids.has(oid)) result.add(oid);
    merged.put(keyOf(oid), { merged: mergedOids.has(oid) });
  }
  return result;
}

async function walkToMerged(
  commits: Commits,
  pace: TimeSlice,
  oids: ReadonlySet<string>,
  target: string,
): Promise<Set<string>> {
  const numbers = new Map<string, number>();
  for (const oid of oids) {
    if (pace.isExpired) await pace.yield();
    numbers.set(oid, await commitNamed(commits, oid));
  }
  const from = await commitNamed(commits, target);
  const reachable = await reachableOf(commits, pace, [...numbers.values()], from);
  return new Set([...numbers].flatMap(([oid, number]) => (reachable.has(number) ? [oid] : [])));
}

async function askForMerged(
  repo: Repository,
  oids: ReadonlySet<string>,
  target: string,
  env: Readonly<Record<string, string>>,
): Promise<Set<string>> {
  const merged = new Set(oids);
  const input = [...oids, `^${target}`].map((line) => `${line}\n`).join('');
  // Git prints commits that the target does not reach: these are not merged.
  await readRecords(['rev-list', '--stdin'], { gitDir: repo.dir, input, env }, (record) => {
    merged.delete(record.toString('latin1'));
    return merged.size > 0;
  });
  return merged;
}

/**
 * Whether `ancestor` is in the history of `descendant`; a commit is its own ancestor.
 * @throws GitError as `mergedInto`
 */
export async function isAncestor(repo: Repository, ancestor: string, descendant: string): Promise<boolean> {
  checkOids([ancestor, descendant]);
  if (ancestor === descendant) return true;
  const known = await merged.get(mergedKey(repo, descendant, ancestor), async () => {
    return await repo.history.query({
      walk: async (commits, pace) => {
        const ancestorCommit = await commitNamed(commits, ancestor);
        return { merged: await isReachable(commits, pace, ancestorCommit, await commitNamed(commits, descendant)) };
      },
      git: async (env) => {
        // A walk from both ends, as in `mergedInto`, would stop too early if commits are dated long before their
        // parents.
        const args = ['merge-base', '--is-ancestor', '--end-of-options', ancestor, descendant];
        return { merged: (await runGit(args, { gitDir: repo.dir, okCodes: [0, 1], env })).code === 0 };
      },
    });
  });
  return known.merged;
}

/**
 * Number of commits by which two commits diverge.
 * @throws GitError `invalid` for incomplete ids, `failed` if one does not exist
 */
export async function divergence(repo: Repository, a: string, b: string): Promise<Divergence> {
  checkOids([a, b]);
  if (a === b) return { ahead: 0, behind: 0 };
  return await divergences.get(cacheKey(repo.key, a, b), async () => {
    return await repo.history.query({
      walk: async (commits, pace) => {
        const counts = [0, 0, 0, 0];
        const starts = [[await commitNamed(commits, a), ONE] as const, [await commitNamed(commits, b), OTHER] as const];
        await walkDown(commits, pace, {
          starts,
          isDone: (marks) => marks === BOTH,
          visit: (_, marks) => {
            counts[marks]! += 1;
            return marks;
          },
        });
        return { ahead: counts[ONE]!, behind: counts[OTHER]! };
      },
      git: async (env) => {
        const args = ['rev-list', '--left-right', '--count', '--end-of-options', `${a}...${b}`, '--'];
        const { stdout } = await runGit(args, { gitDir: repo.dir, env });
        const [ahead, behind] = stdout.toString('latin1').trim().split('\t').map(Number);
        return { ahead: ahead!, behind: behind! };
      },
    });
  });
}
