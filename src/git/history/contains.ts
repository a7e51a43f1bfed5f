import type { Commits, TimeSlice } from '../commit-graph/index.ts';
import { checkOids, decodeBytes, GitError } from '../common/index.ts';
import { readRecords } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { isAncestor } from './git.compare.ts';
import { Containment } from './walks/reachability.ts';

export type RefFolder = 'refs/heads/' | 'refs/tags/';

/**
 * Full names of the branches and tags that contain a commit, in byte order. Uncached, since references change. Serves
 * `GET /projects/:id/repository/commits/:sha/refs`.
 * @param limit maximum number of names
 * @throws GitError `invalid` for an incomplete id, `failed` if it is not a commit of the repository, `timeout`
 */
export async function refsContaining(
  repo: Repository,
  commit: string,
  folders: readonly RefFolder[],
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  checkOids([commit]);
  if (folders.length === 0) return [];
  return await repo.history.query({
    walk: (commits, pace) => walk(repo, commits, pace, commit, folders, limit),
    git: async (env) => {
      const names: string[] = [];
      await readRecords(
        ['for-each-ref', `--contains=${commit}`, '--format=%(refname)', ...folders],
        { gitDir: repo.dir, env },
        (record) => names.push(decodeBytes(record)) < limit,
      );
      return names;
    },
  });
}

async function walk(
  repo: Repository,
  commits: Commits,
  pace: TimeSlice,
  commit: string,
  folders: readonly RefFolder[],
  limit: number,
): Promise<readonly string[]> {
  const target = await commits.named(commit);
  if (target === null) throw new GitError('failed', `fatal: ${commit} is no commit`);
  const containment = new Containment(commits, pace, target);
  const names: string[] = [];
  for (const folder of folders.toSorted()) {
    for (const { name, oid, peeled } of await repo.refs.list(folder)) {
      if (pace.isExpired) await pace.yield();
      const tip = await commits.named(peeled ?? oid);
      if (tip === null || !(await containment.isIn(tip))) continue;
      names.push(name);
      if (names.length >= limit) return names;
    }
  }
  return names;
}

/**
 * Full name of a branch or tag that contains a commit: one that points to it, else the default branch, else the first
 * by name. A full search is needed only in the last case.
 * @returns null for a commit without branch or tag, such as one of a merge request from a fork
 * @throws GitError as `refsContaining`
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
