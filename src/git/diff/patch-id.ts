import { createHash } from 'node:crypto';
import { checkOids } from '../common/index.ts';
import type { Repository } from '../repository/index.ts';
import { diffTrees } from './diff.ts';
import type { FileDiff } from './diff-result.ts';

const HUNK = '@@';

/**
 * Fingerprint of a comparison, independent of line numbers, whitespace and base commits, like git's patch ids: equal
 * for two versions of the same change. Computed from the displayed diff.
 * @param from id of a commit or tree
 * @param to id of a commit or tree
 * @returns 40 hexadecimal digits; null if nothing changed; for a truncated diff an id shared only by identical
 *   comparisons
 * @throws GitError as `diffTrees`
 */
export async function patchId(repo: Repository, from: string, to: string): Promise<string | null> {
  checkOids([from, to]);
  const { files, overflow, changedFiles } = await diffTrees(repo, from, to);
  if (changedFiles === 0) return null;
  const hash = createHash('sha1');
  if (overflow) return hash.update(`${from}\0${to}`).digest('hex');
  for (const file of files) hash.update(`${whatOf(file).join('\0')}\0\0`);
  return hash.digest('hex');
}

/** A file without a patch is represented by its ids. */
function whatOf({ oldPath, newPath, aMode, bMode, oldOid, newOid, binary, diff }: FileDiff): string[] {
  const lines = binary || diff === '' ? [oldOid, newOid] : diff.split('\n').filter((line) => !line.startsWith(HUNK));
  return [oldPath, newPath, aMode, bMode, ...lines.map((line) => line.replaceAll(/\s/g, ''))];
}
