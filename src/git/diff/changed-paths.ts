import { cacheKey, checkOids, decodeBytes, ResultCache } from '../common/index.ts';
import { runGit } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { pathsBetween } from '../trees/index.ts';

const CPU_MS = 30_000;
const results = new ResultCache<readonly string[]>('git_changed_paths', (paths) =>
  paths.reduce((sum, path) => sum + 2 * path.length + 16, 100),
);

/**
 * Lists the paths that differ between two commits or trees, in git's order; both paths of a renamed file. Pass the
 * merge base as `from` to get the changes of a branch.
 * @throws GitError `invalid` for incomplete ids, `failed` if one does not exist, `timeout`, `output_too_large` above
 *   64 MiB of paths
 */
export async function changedPaths(repo: Repository, from: string, to: string): Promise<readonly string[]> {
  checkOids([from, to]);
  return await results.get(cacheKey(repo.key, from, to), async () => {
    const few = await pathsBetween(repo, from, to);
    if (few !== null) return few.sort(inGitsOrder);
    const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--end-of-options', from, to, '--'];
    const { stdout } = await runGit(args, { gitDir: repo.dir, cpuMs: CPU_MS });
    const names = stdout.toString('latin1').split('\0');
    return names.filter((name) => name !== '').map((name) => decodeBytes(Buffer.from(name, 'latin1')));
  });
}

const inGitsOrder = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
