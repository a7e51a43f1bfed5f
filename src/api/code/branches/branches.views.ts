import { COMMITS, MERGED_INTO } from '../../../git/history/index.ts';
import type { Commit } from '../../../git/objects/index.ts';
import { HEADS, type Ref } from '../../../git/refs/index.ts';
import { ask, type Repository } from '../../../git/repository/index.ts';
import { levelAllows, type Protection } from '../../../repositories/repository.protections.ts';
import { presentCommit } from '../commits/commits.views.ts';
import type { BranchJson } from './branches.inputs.ts';

const DEVELOPER = 30;

/** A branch with the caller's rights on it. */
export interface BranchRow {
  ref: Ref;
  protections: readonly Protection[];
  canPush: boolean;
}

/**
 * Renders branches (part 1, section 2). Leaves out branches whose commit is missing in a damaged repository. A branch
 * at the commit of the default branch does not count as merged.
 * @param defaultBranch null in an empty repository
 * @param webUrl URL of the project
 */
export async function presentBranches(
  repo: Repository,
  rows: readonly BranchRow[],
  defaultBranch: Ref | null,
  webUrl: string,
): Promise<BranchJson[]> {
  const commits = await ask(
    repo,
    COMMITS,
    rows.map(({ ref }) => ref.oid),
  );
  const present = rows.flatMap((row, at) => (commits[at] == null ? [] : [{ row, commit: commits[at] }]));
  const target = defaultBranch?.oid;
  const merged =
    target === undefined || (await repo.objects.commit(target)) === null
      ? new Set<string>()
      : await ask(repo, MERGED_INTO, [...new Set(present.map(({ commit }) => commit.oid))], target);
  return present.map(({ row, commit }) => ({
    ...presentBranch(row, commit, webUrl),
    merged: commit.oid !== target && merged.has(commit.oid),
    default: row.ref.name === defaultBranch?.name,
  }));
}

const presentBranch = ({ ref, protections, canPush }: BranchRow, commit: Commit, webUrl: string) => ({
  name: ref.name.slice(HEADS.length).toWellFormed(),
  commit: presentCommit(commit, webUrl),
  merged: false,
  protected: protections.length > 0,
  developers_can_push: levelAllows(protections, 'push', DEVELOPER),
  developers_can_merge: levelAllows(protections, 'merge', DEVELOPER),
  can_push: canPush,
  default: false,
  web_url: `${webUrl}/-/tree/${encodeRefPath(ref.name.slice(HEADS.length))}`,
});

/** Encodes a ref name for use in URLs, keeping slashes. */
const encodeRefPath = (name: string): string => name.toWellFormed().split('/').map(encodeURIComponent).join('/');
