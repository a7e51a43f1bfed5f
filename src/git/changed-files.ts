import { checkOids } from './arguments.ts';
import { compareBytes, decodeBytes } from './bytes.ts';
import { COMPARING_CHILD } from './diff-commands.ts';
import { runGit } from './process.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';
import { changesBetween } from './tree-changes.ts';

/** Paths of files, in git's order. A renamed file is removed and added. */
export interface ChangedFiles {
  added: readonly string[];
  modified: readonly string[];
  removed: readonly string[];
}

const PROCESSOR_MS = 30_000;
/** Bytes of paths: who asks for files of a commit shows all of them. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const LIST_OF: Readonly<Record<string, keyof ChangedFiles>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  T: 'modified',
};

const results = new ResultCache<ChangedFiles>(4 * 1024 * 1024, ({ added, modified, removed }) =>
  [...added, ...modified, ...removed].reduce((sum, path) => sum + 2 * path.length + 16, 300),
);

/**
 * What files a commit adds, changes and removes.
 * @param from the commit or tree before; null for nothing
 * @throws GitError `invalid` for incomplete ids, `failed` where one is not in the repository, `timeout`,
 *   `output_too_large` past 4 MiB of paths
 */
export async function changedFiles(repo: Repository, from: string | null, to: string): Promise<ChangedFiles> {
  checkOids(from === null ? [to] : [from, to]);
  return await results.get(cacheKey(repo.id, from ?? '', to), async () => {
    const few = await changesBetween(repo, from, to);
    const found: Record<keyof ChangedFiles, string[]> = { added: [], modified: [], removed: [] };
    if (few === null) await readWithGit(repo, from, to, found);
    for (const { path, before, after } of few ?? []) {
      found[before === undefined ? 'added' : after === undefined ? 'removed' : 'modified'].push(path);
    }
    for (const list of Object.values(found)) list.sort(compareBytes);
    return found;
  });
}

async function readWithGit(
  repo: Repository,
  from: string | null,
  to: string,
  found: Record<keyof ChangedFiles, string[]>,
): Promise<void> {
  const what = from === null ? ['--root', '--no-commit-id', '--end-of-options', to] : ['--end-of-options', from, to];
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', ...what, '--'];
  const limits = { processorMs: PROCESSOR_MS, maxOutput: MAX_OUTPUT, memory: COMPARING_CHILD };
  const { stdout } = await runGit(args, { gitDir: repo.dir, ...limits });
  const parts = stdout.toString('latin1').split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    found[LIST_OF[parts[at]!] ?? 'modified'].push(decodeBytes(Buffer.from(parts[at + 1]!, 'latin1')));
  }
}
