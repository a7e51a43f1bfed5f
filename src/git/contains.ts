import { checkOids } from './arguments.ts';
import { decodeBytes } from './bytes.ts';
import { isAncestor } from './compare.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';

export type RefFolder = 'refs/heads/' | 'refs/tags/';

/**
 * The full names of the branches and tags whose history a commit is part of, sorted by their bytes. References change,
 * so nothing is kept. Serves `GET /projects/:id/repository/commits/:sha/refs`.
 * @param most how many of them are wanted
 * @throws GitError `invalid` for an incomplete id, `failed` where it is no commit of the repository, `timeout`
 */
export async function refsContaining(
  repo: Repository,
  commit: string,
  folders: readonly RefFolder[],
  most = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  checkOids([commit]);
  if (folders.length === 0) return [];
  const names: string[] = [];
  await readRecords(
    ['for-each-ref', `--contains=${commit}`, '--format=%(refname)', ...folders],
    { gitDir: repo.dir },
    (record) => names.push(decodeBytes(record)) < most,
  );
  return names;
}

/**
 * The full name of a branch or tag whose history a commit is part of: one that points to it, the default branch, else
 * the first by name. Only where no ref points to it and it is not known to be of the default branch does git search.
 * @returns null for a commit of no branch or tag, such as that of a merge request from elsewhere
 * @throws GitError as `refsContaining` does
 */
export async function refWith(repo: Repository, commit: string): Promise<string | null> {
  const main = `refs/heads/${(await repo.refs.head()) ?? ''}`;
  const branches = await repo.refs.list('refs/heads/');
  const tags = await repo.refs.list('refs/tags/');
  const tips = [...branches, ...tags].filter(({ oid, peeled }) => oid === commit || peeled === commit);
  const tip = tips.find(({ name }) => name === main) ?? tips[0];
  if (tip !== undefined) return tip.name;
  const head = branches.find(({ name }) => name === main);
  if (head !== undefined && (await isAncestor(repo, commit, head.oid))) return main;
  return (await refsContaining(repo, commit, ['refs/heads/', 'refs/tags/'], 1))[0] ?? null;
}
