import type { Deps } from '../../deps.ts';
import { mergedInto } from '../../git/compare.ts';
import type { Commit } from '../../git/objects.ts';
import type { Ref } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import {
  type Actor,
  levelAllows,
  type Protection,
  protectionAllows,
  protectionsOf,
} from '../../repositories/protections.ts';
import { presentCommit } from '../commits/entity.ts';
import type { BranchJson } from './schema.ts';

export const HEADS = 'refs/heads/';
const DEVELOPER = 30;

/** A branch with what the caller's rights make of it. */
export interface BranchRow {
  ref: Ref;
  name: string;
  protections: readonly Protection[];
  canPush: boolean;
}

/** Adds to each branch the protections it falls under and whether the actor may push to it. */
export async function describeBranches(
  deps: Deps,
  refs: readonly Ref[],
  protections: readonly Protection[],
  actor: Actor,
): Promise<BranchRow[]> {
  const pushes = actor.permissions.can('push_code');
  const rows: BranchRow[] = [];
  for (const ref of refs) {
    const name = ref.name.slice(HEADS.length);
    const matching = protectionsOf(protections, 'branch', name);
    const canPush = matching.length === 0 ? pushes : await protectionAllows(deps, actor, matching, 'push');
    rows.push({ ref, name, protections: matching, canPush });
  }
  return rows;
}

/**
 * Branches as the API shows them (part 1, section 2). One whose commit is missing from a damaged repository is left
 * out. A branch at the very commit of the default branch has nothing that was merged.
 * @param defaultBranch name of the default branch, with its commit; null in an empty repository
 * @param webUrl address of the project's pages
 */
export async function presentBranches(
  repo: Repository,
  rows: readonly BranchRow[],
  defaultBranch: { name: string; oid: string } | null,
  webUrl: string,
): Promise<BranchJson[]> {
  const commits = await Promise.all(rows.map(({ ref }) => repo.objects.commit(ref.oid)));
  const found = rows.flatMap((row, at) => (commits[at] == null ? [] : [{ row, commit: commits[at] }]));
  const target = defaultBranch?.oid;
  const merged =
    target === undefined || (await repo.objects.commit(target)) === null
      ? new Set<string>()
      : await mergedInto(repo, [...new Set(found.map(({ commit }) => commit.oid))], target);
  return found.map(({ row, commit }) => ({
    ...presentBranch(row, commit, webUrl),
    merged: commit.oid !== target && merged.has(commit.oid),
    default: row.name === defaultBranch?.name,
  }));
}

const presentBranch = ({ name, protections, canPush }: BranchRow, commit: Commit, webUrl: string) => ({
  name: name.toWellFormed(),
  commit: presentCommit(commit, webUrl),
  merged: false,
  protected: protections.length > 0,
  developers_can_push: levelAllows(protections, 'push', DEVELOPER),
  developers_can_merge: levelAllows(protections, 'merge', DEVELOPER),
  can_push: canPush,
  default: false,
  web_url: `${webUrl}/-/tree/${encodeRefPath(name)}`,
});

/** A ref's name as a part of an address: its slashes stay. */
export const encodeRefPath = (name: string): string => name.toWellFormed().split('/').map(encodeURIComponent).join('/');
