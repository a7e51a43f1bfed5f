import { inTurns } from '../core/in-turns.ts';
import { checkOids, fitsArgument, isEntryPath, LITERAL_PATHS } from './arguments.ts';
import { encodeBytes } from './bytes.ts';
import { runGit } from './process.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';
import { walkUnchanged } from './unchanged.ts';

interface Answer {
  oid: string | null;
}

/** A walk back over commits that did not change the path is cheaper than a git process while it is this short. */
const WALK = 8;
const AT_ONCE = 4;
const answers = new ResultCache<Answer>(8 * 1024 * 1024, () => 100);

async function askGit(repo: Repository, commit: string, path: string): Promise<string | null> {
  const inArgument = fitsArgument(path);
  const { stdout } = await runGit(
    ['rev-list', '--max-count=1', ...(inArgument ? ['--end-of-options', commit, '--', path] : ['--stdin'])],
    {
      gitDir: repo.dir,
      env: LITERAL_PATHS,
      ...(inArgument ? {} : { input: Buffer.concat([Buffer.from(`${commit}\n--\n`), encodeBytes(path)]) }),
    },
  );
  return stdout.toString('latin1').trim() || null;
}

async function find(repo: Repository, commit: string, path: string): Promise<Answer> {
  const stop = await walkUnchanged(
    repo,
    commit,
    path,
    WALK,
    (oid) => answers.peek(cacheKey(repo.id, oid, path)) !== undefined,
  );
  if (stop?.why === 'changed') return { oid: stop.oid };
  if (stop?.why === 'absent') return { oid: null };
  const known = stop && answers.peek(cacheKey(repo.id, stop.oid, path));
  return known ?? { oid: await askGit(repo, commit, path) };
}

/**
 * The newest commit that changed a file or folder, as `git log -1 <commit> -- <path>` gives it: for a path that is
 * gone, the commit that removed it. Serves `last_commit_id` of repository files.
 * @returns null where no commit ever touched the path
 * @throws GitError `invalid` where `commit` is no complete object id, `failed` where it is not in the repository
 */
export async function lastCommitOf(repo: Repository, commit: string, path: string): Promise<string | null> {
  checkOids([commit]);
  if (!isEntryPath(path) || (path.includes('\n') && !fitsArgument(path))) return null;
  return (await answers.get(cacheKey(repo.id, commit, path), () => find(repo, commit, path))).oid;
}

/**
 * `lastCommitOf` for many paths of one commit; gives an entry for each.
 * @throws GitError as `lastCommitOf` does
 */
export async function lastCommitsOf(
  repo: Repository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, string | null>> {
  const result = new Map<string, string | null>();
  await inTurns(new Set(paths), AT_ONCE, null, async (path) => {
    result.set(path, await lastCommitOf(repo, commit, path));
  });
  return result;
}
