import { createHash } from 'node:crypto';
import { checkOids } from './arguments.ts';
import { diffTrees } from './diff.ts';
import type { FileDiff } from './diff-result.ts';
import type { Repository } from './git.repository.ts';

const HUNK = '@@';

/**
 * What a whole comparison comes to, whatever lines and commits it stands on: two versions of one change have the same. As
 * in git's patch ids, numbers of lines and blanks count for nothing. It is made of the diff that is shown.
 * @param from id of a commit or tree
 * @param to id of a commit or tree
 * @returns 40 hexadecimal digits; null where nothing changed; of a change that is shown in part alone an id that only the
 * very same two share
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

/** A file without its patch stands for itself. */
function whatOf({ oldPath, newPath, aMode, bMode, oldOid, newOid, binary, diff }: FileDiff): string[] {
  const lines = binary || diff === '' ? [oldOid, newOid] : diff.split('\n').filter((line) => !line.startsWith(HUNK));
  return [oldPath, newPath, aMode, bMode, ...lines.map((line) => line.replaceAll(/\s/g, ''))];
}
