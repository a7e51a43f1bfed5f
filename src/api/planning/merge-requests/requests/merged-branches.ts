import type { Caller } from '../../../../access/caller.ts';
import { findProject } from '../../../../access/lookup.ts';
import { projectPermissions } from '../../../../access/permissions.ts';
import { conflict, forbidden } from '../../../../core/core.errors.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { RefChange } from '../../../../db/tables/ref-intents.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { mergedInto } from '../../../../git/history/index.ts';
import { HEADS } from '../../../../git/refs/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { changeRefs, inRepositoryQueue } from '../../../../repositories/change-refs.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { type Actor, loadProtections, protectionsOf } from '../../../../repositories/repository.protections.ts';
import { revalidateActor } from '../../../../repositories/revalidate-actor.ts';
import { defaultBranchOf } from '../../../code/index.ts';
import { openBranches } from '../lifecycle/open-branches.ts';

/** Maximum number of branches to delete per transaction and event. */
const BATCH = 100;

interface DeleteMerged {
  project_id: number;
  user_id: number;
}

const DELETE_MERGED = jobKind<DeleteMerged>('branches.delete_merged', { lane: 'slow' });

/** Enqueues the deletion of all merged branches, with the rights of the caller. */
export async function requestMergedDeletion(deps: Deps, project: Project, user: User): Promise<void> {
  const payload: DeleteMerged = { project_id: project.id, user_id: user.id };
  await deps.jobs.enqueue(deps.db, DELETE_MERGED, payload, {
    uniqueKey: `${project.id}:${user.id}`,
    projectId: project.id,
  });
}

/** Registers the job of `requestMergedDeletion`. */
export function registerMergedDeletion(deps: Deps): void {
  deps.jobs.register(DELETE_MERGED, async ({ project_id, user_id }, { signal }) => {
    const scope = await findProject(deps, String(project_id));
    const user = await deps.db.selectFrom('users').selectAll().where('id', '=', user_id).executeTakeFirst();
    if (scope === undefined || user === undefined || user.state !== 'active') return;
    const { project, namespace } = scope;
    const caller: Caller = { user, admin: user.admin === 1, scopes: null, credential: { kind: 'none' }, sudoBy: null };
    const permissions = await projectPermissions(deps, caller, project, namespace);
    // Rights may have been revoked since the request.
    if (permissions.can('push_code')) await deleteMerged(deps, project, { caller, permissions }, signal);
  });
}

/**
 * Deletes branches whose commits are all in the default branch, except the default branch, protected ones, and those of
 * open merge requests.
 */
async function deleteMerged(deps: Deps, project: Project, actor: Actor, signal: AbortSignal): Promise<void> {
  for (let removed = BATCH; removed === BATCH && !signal.aborted; ) {
    removed = await inRepositoryQueue(deps, project, async (repo) => {
      const updates = await mergedBranches(deps, project, repo);
      if (updates.length === 0) return 0;
      await changeRefs(deps, repo, {
        holder: ofProject(project),
        userId: actor.caller.user?.id ?? null,
        updates,
        guard: (deps) => refuseUndeletable(deps, project, actor, updates),
      });
      return updates.length;
    });
  }
}

/** Checks again before the deletion: rights may be revoked, branches protected, or merge requests opened. */
async function refuseUndeletable(
  deps: Deps,
  { id }: Project,
  actor: Actor,
  updates: readonly RefChange[],
): Promise<void> {
  if (!(await revalidateActor(deps, actor, id)).permissions.can('push_code')) throw forbidden();
  const mustStay = await undeletableBranches(deps, id);
  if (updates.some(({ ref }) => mustStay(ref))) throw conflict();
}

/** Returns a predicate for merged branches that must stay. */
async function undeletableBranches(deps: Deps, projectId: number): Promise<(ref: string) => boolean> {
  const protections = await loadProtections(deps, projectId);
  const open = await openBranches(deps.db, projectId);
  return (ref) => {
    const name = ref.slice(HEADS.length);
    return open.has(name) || protectionsOf(protections, 'branch', name).length > 0;
  };
}

async function mergedBranches(deps: Deps, project: Project, repo: Repository): Promise<RefChange[]> {
  const target = await defaultBranchOf(repo);
  if (target === null) return [];
  const mustStay = await undeletableBranches(deps, project.id);
  const candidates = (await repo.refs.list(HEADS)).filter(({ name, oid }) => {
    // At the same commit nothing has been merged yet: most likely the branch is new.
    return name !== target.name && oid !== target.oid && !mustStay(name);
  });
  const merged = await mergedInto(repo, [...new Set(candidates.map(({ oid }) => oid))], target.oid);
  return candidates
    .filter(({ oid }) => merged.has(oid))
    .slice(0, BATCH)
    .map(({ name, oid }) => ({ ref: name, old: oid, new: null }));
}
