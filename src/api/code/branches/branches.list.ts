import { notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { HEADS, type Ref } from '../../../git/refs/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import {
  type Actor,
  canPushTo,
  loadProtections,
  type Protection,
  protectionAllows,
  protectionsOf,
} from '../../../repositories/repository.protections.ts';
import { projectUrl } from '../commits/commits.views.ts';
import type { BranchJson } from './branches.inputs.ts';
import { type BranchPage, branchIn, protectPage } from './branches.page.ts';
import { presentBranches } from './branches.views.ts';

/**
 * Returns the default branch; null if it does not exist or is damaged, so that the other branches can still be listed.
 */
export async function defaultBranchOf(repo: Repository): Promise<Ref | null> {
  try {
    const name = await repo.refs.head();
    const oid = name === null ? null : await repo.refs.resolve(HEADS + name);
    return name === null || oid === null ? null : { name: HEADS + name, oid };
  } catch (error) {
    if (error instanceof GitError && error.code === 'corrupt') return null;
    throw error;
  }
}

/** Renders a single branch for the actor. @throws ApiError 404 if its commit is missing in a damaged repository */
export async function viewBranch(
  deps: Deps,
  project: Project,
  actor: Actor,
  repo: Repository,
  ref: Ref,
): Promise<BranchJson> {
  const name = ref.name.slice(HEADS.length);
  const protections = await loadProtections(deps, project.id);
  const canPush = await canPushTo(deps, actor, protections, name);
  const row = { ref, protections: protectionsOf(protections, 'branch', name), canPush };
  const [branch] = await presentBranches(repo, [row], await defaultBranchOf(repo), projectUrl(deps, project));
  if (branch === undefined) throw notFound('Branch');
  return branch;
}

/**
 * Serializes a page of branches. Cached by everything it depends on, so that an unchanged page costs next to nothing.
 * @param all all branches of the state that the page is from
 */
export async function serializeBranches(
  deps: Deps,
  project: Project,
  actor: Actor,
  repo: Repository,
  all: readonly Ref[],
  page: BranchPage,
): Promise<Serialized> {
  const defaultBranch = branchIn(all, await repo.refs.head());
  const { matching, key } = protectPage(page, await loadProtections(deps, project.id));
  const pushes = await pushRights(deps, actor, matching);
  const webUrl = projectUrl(deps, project);
  const answerKey = `branches:${page.id}:${key}:${pushes}:${defaultBranch?.name}:${webUrl}`;
  const cached = deps.immutableResponses.peek(answerKey);
  if (cached !== undefined) return cached.json;
  const rows = page.refs.map((ref, at) => ({ ref, protections: matching[at]!, canPush: pushes[at] === '+' }));
  const branches = await presentBranches(repo, rows, defaultBranch, webUrl);
  // A branch that a damaged repository could not show may return after a repair.
  return branches.length === rows.length
    ? deps.immutableResponses.set(answerKey, branches).json
    : Serialized.of(branches);
}

/** Whether the actor may push to each branch, as a string of `+` and `-`. */
async function pushRights(deps: Deps, actor: Actor, matching: readonly (readonly Protection[])[]): Promise<string> {
  const open = actor.permissions.can('push_code') ? '+' : '-';
  let rights = '';
  for (const protections of matching) {
    if (protections.length === 0) rights += open;
    else rights += (await protectionAllows(deps, actor, protections, 'push')) ? '+' : '-';
  }
  return rights;
}
