import { countLines, DiffBudget, type DiffStats } from '../line-diff/index.ts';
import type { Repository } from '../repository/index.ts';
import { firstParentOf } from '../trees/index.ts';
import { ChangedContents, nativeChanges } from './native-changes.ts';

const NONE: DiffStats = Object.freeze({ additions: 0, deletions: 0 });

/**
 * Lines that a commit adds and removes against its first parent, as git counts them, without a process. Serves `stats`
 * of commits.
 * @returns null if git must be asked: as `nativeChanges`, or for large changes
 * @throws GitError as `ObjectReader`
 */
export async function nativeStats(repo: Repository, oid: string): Promise<DiffStats | null> {
  const parent = await firstParentOf(repo, oid);
  const changes = parent === undefined ? null : await nativeChanges(repo, parent, oid);
  if (changes === null) return null;
  const contents = new ChangedContents(repo);
  const effort = new DiffBudget();
  const sum = { additions: 0, deletions: 0 };
  for (const file of changes) {
    const counts = await contents.use(file, (old, now, isBinary) => (isBinary ? NONE : countLines(old, now, effort)));
    if (counts === null) return null;
    sum.additions += counts.additions;
    sum.deletions += counts.deletions;
  }
  return sum;
}
