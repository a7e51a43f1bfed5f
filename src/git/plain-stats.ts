import { Effort } from './line-diff/changes.ts';
import { countLines, type DiffStats } from './line-diff/line-diff.ts';
import { PlainContents, plainChanges } from './plain-changes.ts';
import type { Repository } from './repository.ts';
import { firstParentOf } from './tree.ts';

const NONE: DiffStats = Object.freeze({ additions: 0, deletions: 0 });

/**
 * The lines that a commit adds and removes against its first parent, as git counts them, found without a process. Serves `stats` of
 * commits.
 * @returns null where git has to be asked: as `plainChanges`, or much differs
 * @throws GitError as `ObjectReader`
 */
export async function plainStats(repo: Repository, oid: string): Promise<DiffStats | null> {
  const parent = await firstParentOf(repo, oid);
  const changes = parent === undefined ? null : await plainChanges(repo, parent, oid);
  if (changes === null) return null;
  const contents = new PlainContents(repo);
  const effort = new Effort();
  const sum = { additions: 0, deletions: 0 };
  for (const file of changes) {
    const counts = await contents.use(file, (old, now, isBinary) => (isBinary ? NONE : countLines(old, now, effort)));
    if (counts === null) return null;
    sum.additions += counts.additions;
    sum.deletions += counts.deletions;
  }
  return sum;
}
