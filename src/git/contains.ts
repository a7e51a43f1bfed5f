import { checkOids } from './arguments.ts';
import { decodeBytes } from './bytes.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';

export type RefFolder = 'refs/heads/' | 'refs/tags/';

/**
 * The full names of the branches and tags whose history a commit is part of, sorted by their bytes. References change,
 * so nothing is kept. Serves `GET /projects/:id/repository/commits/:sha/refs`.
 * @throws GitError `invalid` for an incomplete id, `failed` where it is no commit of the repository, `timeout`
 */
export async function refsContaining(
  repo: Repository,
  commit: string,
  folders: readonly RefFolder[],
): Promise<readonly string[]> {
  checkOids([commit]);
  if (folders.length === 0) return [];
  const names: string[] = [];
  await readRecords(
    ['for-each-ref', `--contains=${commit}`, '--format=%(refname)', ...folders],
    { gitDir: repo.dir },
    (record) => names.push(decodeBytes(record)),
  );
  return names;
}
