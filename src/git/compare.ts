import { checkOids } from './arguments.ts';
import { GitError } from './errors.ts';
import { runGit } from './process.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

export interface Divergence {
  /** Commits that `a` has and `b` has not. */
  ahead: number;
  /** Commits that `b` has and `a` has not. */
  behind: number;
}

const MAX_MERGE_BASE_OIDS = 50;
const bases = new ResultCache<{ oid: string | null }>(1024 * 1024, () => 100);
const merged = new ResultCache<{ merged: boolean }>(8 * 1024 * 1024, () => 32);
const divergences = new ResultCache<Divergence>(1024 * 1024, () => 48);

/**
 * The best common ancestor of the first commit and a merge of all others.
 * Serves `GET /projects/:id/repository/merge_base`, and the three-dot comparison.
 * @param oids 1 to 50 commits
 * @returns null where they share no history
 * @throws GitError `invalid` for incomplete ids or a wrong number of them, `failed` where one is not in the repository
 */
export async function mergeBase(repo: Repository, oids: readonly string[]): Promise<string | null> {
  checkOids(oids);
  const [first, ...others] = oids;
  if (first === undefined || oids.length > MAX_MERGE_BASE_OIDS) throw new GitError('invalid', 'merge base of 1 to 50');
  if (others.every((oid) => oid === first)) return first;
  const { oid } = await bases.get(cacheKey(repo.id, oids), async () => {
    const { stdout } = await runGit(['merge-base', ...oids], { gitDir: repo.dir, okCodes: [0, 1] });
    return { oid: stdout.toString('latin1').split('\n', 1)[0] || null };
  });
  return oid;
}

/**
 * Which of these commits are part of a target's history; the target itself is. One git command for all.
 * Serves `merged` of a branch and the deletion of merged branches.
 * @throws GitError `invalid` for incomplete ids, `failed` where one is not in the repository
 */
export async function mergedInto(repo: Repository, oids: readonly string[], target: string): Promise<Set<string>> {
  checkOids([...oids, target]);
  const keyOf = (oid: string) => cacheKey(repo.id, target, oid);
  const result = new Set<string>();
  const open = new Set<string>();
  for (const oid of oids) {
    const known = oid === target ? true : merged.peek(keyOf(oid))?.merged;
    if (known === undefined) open.add(oid);
    else if (known) result.add(oid);
  }
  if (open.size === 0) return result;
  const unmerged = new Set<string>();
  const input = [...open, `^${target}`].map((line) => `${line}\n`).join('');
  // What the target does not reach is printed: a commit among it is not merged.
  await readRecords(['rev-list', '--stdin'], { gitDir: repo.dir, input }, (record) => {
    const oid = record.toString('latin1');
    if (open.has(oid)) unmerged.add(oid);
    return unmerged.size < open.size;
  });
  for (const oid of open) {
    if (!unmerged.has(oid)) result.add(oid);
    merged.put(keyOf(oid), { merged: !unmerged.has(oid) });
  }
  return result;
}

/**
 * Whether `ancestor` is part of the history of `descendant`; a commit is its own ancestor.
 * @throws GitError as `mergedInto` does
 */
export async function isAncestor(repo: Repository, ancestor: string, descendant: string): Promise<boolean> {
  checkOids([ancestor, descendant]);
  if (ancestor === descendant) return true;
  // A walk from both ends, as of `mergedInto`, would stop early where commits are dated long before their parents.
  const known = await merged.get(cacheKey(repo.id, descendant, ancestor), async () => {
    const args = ['merge-base', '--is-ancestor', '--end-of-options', ancestor, descendant];
    return { merged: (await runGit(args, { gitDir: repo.dir, okCodes: [0, 1] })).code === 0 };
  });
  return known.merged;
}

/** Commits that are looked at before git is started. */
const NEAR = 256;

/**
 * The same for commits that are likely near each other, as those of a branch that moves: looks at the newest commits by the
 * warm reader, and starts a command only where these do not tell.
 * @throws GitError as `mergedInto` does
 */
export async function isNearAncestor(repo: Repository, ancestor: string, descendant: string): Promise<boolean> {
  checkOids([ancestor, descendant]);
  const seen = new Set([descendant]);
  // Grows while it is gone through.
  for (const oid of seen) {
    if (oid === ancestor) return true;
    const commit = seen.size > NEAR ? null : await repo.objects.commit(oid);
    if (commit === null) return isAncestor(repo, ancestor, descendant);
    for (const parent of commit.parents) seen.add(parent);
  }
  return false;
}

/**
 * How far two commits have gone apart.
 * @throws GitError `invalid` for incomplete ids, `failed` where one is not in the repository
 */
export async function divergence(repo: Repository, a: string, b: string): Promise<Divergence> {
  checkOids([a, b]);
  if (a === b) return { ahead: 0, behind: 0 };
  return await divergences.get(cacheKey(repo.id, a, b), async () => {
    const args = ['rev-list', '--left-right', '--count', '--end-of-options', `${a}...${b}`, '--'];
    const { stdout } = await runGit(args, { gitDir: repo.dir });
    const [ahead, behind] = stdout.toString('latin1').trim().split('\t').map(Number);
    return { ahead: ahead!, behind: behind! };
  });
}
