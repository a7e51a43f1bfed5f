import { cacheKey, checkOids, compareBytes, decodeBytes, ResultCache } from '../common/index.ts';
import { COMPARE_CHILD_MEMORY, runGit } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { changesBetween } from '../trees/index.ts';

/** Paths in git's order. A renamed file counts as removed and added. */
export interface ChangedFiles {
  added: readonly string[];
  modified: readonly string[];
  removed: readonly string[];
}

const CPU_MS = 30_000;
/** Maximum size of the paths in bytes, since callers return all of them. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const LIST_OF: Readonly<Record<string, keyof ChangedFiles>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  T: 'modified',
};

const results = new ResultCache<ChangedFiles>('git_changed_files', ({ added, modified, removed }) =>
  [...added, ...modified, ...removed].reduce((sum, path) => sum + 2 * path.length + 16, 300),
);

/**
 * Lists the files that a commit adds, changes and removes.
 * @param from previous commit or tree; null for an empty tree
 * @throws GitError `invalid` for incomplete ids, `failed` if one does not exist, `timeout`, `output_too_large` above
 *   4 MiB of paths
 */
export async function changedFiles(repo: Repository, from: string | null, to: string): Promise<ChangedFiles> {
  checkOids(from === null ? [to] : [from, to]);
  return await results.get(cacheKey(repo.key, from ?? '', to), async () => {
    const few = await changesBetween(repo, from, to);
    const paths: Record<keyof ChangedFiles, string[]> = { added: [], modified: [], removed: [] };
    if (few === null) await readWithGit(repo, from, to, paths);
    for (const { path, before, after } of few ?? []) {
      paths[before === undefined ? 'added' : after === undefined ? 'removed' : 'modified'].push(path);
    }
    for (const list of Object.values(paths)) list.sort(compareBytes);
    return paths;
  });
}

async function readWithGit(
  repo: Repository,
  from: string | null,
  to: string,
  paths: Record<keyof ChangedFiles, string[]>,
): Promise<void> {
  const what = from === null ? ['--root', '--no-commit-id', '--end-of-options', to] : ['--end-of-options', from, to];
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', ...what, '--'];
  const limits = { cpuMs: CPU_MS, maxOutput: MAX_OUTPUT, memory: COMPARE_CHILD_MEMORY };
  const { stdout } = await runGit(args, { gitDir: repo.dir, ...limits });
  const parts = stdout.toString('latin1').split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    paths[LIST_OF[parts[at]!] ?? 'modified'].push(decodeBytes(Buffer.from(parts[at + 1]!, 'latin1')));
  }
}
