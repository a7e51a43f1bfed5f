import { BoundedCache } from '../../core/cache/index.ts';
import { forEachWithConcurrency } from '../../core/concurrency.ts';
import { type Commits, lastChangeInGraph, type TimeSlice } from '../commit-graph/index.ts';
import { cacheKey, checkOids, encodeBytes } from '../common/index.ts';
import { fitsArgument, isEntryPath, LITERAL_PATHS, runGit } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { PathHistory } from './walks/path-history.ts';

/** The last change of a path before a commit, or null. It is also valid for every commit in between. */
interface CachedLastCommit {
  from: string;
  last: string | null;
}

/** Number of commits within which a cached result is searched: after a push it is near. */
const NEAR = 64;
const CONCURRENCY = 4;
/** Number of cached results of a path: the newest, and those of other branches. */
const MAX_CACHED = 6;
const answers = new BoundedCache<string, readonly CachedLastCommit[]>(
  'git_last_commits',
  (entries, key) => 300 + 2 * key.length + 300 * entries.length,
);

/**
 * The newest commit that changed a file or folder, like `git log -1 <commit> -- <path>`: for a removed path, the commit
 * that removed it. Serves `last_commit_id` of repository files.
 * @returns null if no commit ever touched the path
 * @throws GitError `invalid` if `commit` is not a complete object id, `failed` if it does not exist
 */
export async function lastCommitOf(repo: Repository, commit: string, path: string): Promise<string | null> {
  checkOids([commit]);
  if (!isEntryPath(path)) return null;
  const indexed = await lastChangeInGraph(repo.history, commit, path);
  if (indexed !== undefined) return indexed?.commit ?? null;
  const key = cacheKey(repo.key, path);
  const cached = answers.get(key) ?? [];
  const known = cached.find(({ from }) => from === commit);
  if (known !== undefined) return known.last;
  const last = await repo.history.query({
    walk: (commits, pace) => walk(repo, commits, pace, commit, path, cached),
    git: (env) => askGit(repo, commit, path, env),
    retry: () => lastCommitOf(repo, commit, path),
  });
  const others = (answers.get(key) ?? []).filter(({ from }) => from !== commit);
  answers.set(key, [{ from: commit, last }, ...others].slice(0, MAX_CACHED));
  return last;
}

/** Follows the first parent with the same state at the path, as git does. */
async function walk(
  repo: Repository,
  commits: Commits,
  pace: TimeSlice,
  from: string,
  path: string,
  cached: readonly CachedLastCommit[],
): Promise<string | null> {
  const known = new Map(cached.map((entry) => [commits.find(entry.from), entry]));
  const history = await PathHistory.of(commits, pace, repo.objects, path);
  let steps = known.size > 0 ? NEAR : 0;
  for (let commit = await commits.named(from); commit !== null; ) {
    if (pace.isExpired) await pace.yield();
    const entry = known.get(commit);
    if (entry !== undefined) return entry.last;
    const next = steps > 0 ? commit : history.skipUnchanged(commit);
    steps -= 1;
    if (next !== commit) {
      commit = next;
      if (pace.isLate) await pace.yield();
      continue;
    }
    const parents = commits.parents(commit);
    if (parents.length === 0) return (await history.isSame(commit, null, 0)) ? null : commits.oid(commit);
    const parent = await parentWithSame(commits, history, commit, parents);
    if (parent === null) return commits.oid(commit);
    commit = parent;
  }
  return null;
}

async function parentWithSame(
  commits: Commits,
  history: PathHistory,
  commit: number,
  parents: readonly number[],
): Promise<number | null> {
  for (const [nth, parent] of parents.entries()) {
    if (!commits.isLoaded(parent)) await commits.load(parent);
    if (await history.isSame(commit, parent, nth)) return parent;
  }
  return null;
}

async function askGit(
  repo: Repository,
  commit: string,
  path: string,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const inArgument = fitsArgument(path);
  // Git splits its input into lines, and arguments are limited to UTF-8.
  if (!inArgument && path.includes('\n')) return null;
  const { stdout } = await runGit(
    ['rev-list', '--max-count=1', ...(inArgument ? ['--end-of-options', commit, '--', path] : ['--stdin'])],
    {
      gitDir: repo.dir,
      env: { ...LITERAL_PATHS, ...env },
      ...(inArgument ? {} : { input: Buffer.concat([Buffer.from(`${commit}\n--\n`), encodeBytes(path)]) }),
    },
  );
  return stdout.toString('latin1').trim() || null;
}

/**
 * `lastCommitOf` for many paths of one commit, with an entry for each.
 * @throws GitError as `lastCommitOf`
 */
export async function lastCommitsOf(
  repo: Repository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, string | null>> {
  const result = new Map<string, string | null>();
  await forEachWithConcurrency(new Set(paths), CONCURRENCY, null, async (path) => {
    result.set(path, await lastCommitOf(repo, commit, path));
  });
  return result;
}
