import { callerInProject } from '../../../../access/caller-in-project.ts';
import { jobCaller } from '../../../../access/job-caller.ts';
import { ApiError } from '../../../../core/core.errors.ts';
import { parseJson } from '../../../../db/columns.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeParams, MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { changeOneRef } from '../../../../repositories/change-one-ref.ts';
import { inRepositoryQueue } from '../../../../repositories/change-refs.ts';
import { RepositoryReadOnly } from '../../../../repositories/read-only.ts';

interface Remove {
  merge_request_id: number;
  user_id: number;
}

const REMOVE = jobKind<Remove>('merging.remove_source_branch', { lane: 'git' });

/** Whether the source branch is removed with the merge: by the merge parameters, else by the merge request. */
function removesSourceBranch({ merge_params, remove_source_branch }: MergeRequest): boolean {
  return parseJson<MergeParams>(merge_params).should_remove_source_branch ?? remove_source_branch === 1;
}

/** Enqueues the removal of the source branch, if requested. @param db handle of the transaction of the merge */
export async function enqueueRemoval(deps: Deps, db: Db, id: number, userId: number | null): Promise<void> {
  const row = await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || userId === null || !removesSourceBranch(row)) return;
  const payload: Remove = { merge_request_id: id, user_id: userId };
  await deps.jobs.enqueue(db, REMOVE, payload, { uniqueKey: id, projectId: row.project_id });
}

/** Registers the job that removes a merged branch, should the merging process have died. */
export function registerSourceRemoval(deps: Deps): void {
  deps.jobs.register(REMOVE, ({ merge_request_id, user_id }) => removeSourceBranch(deps, merge_request_id, user_id));
}

/**
 * Removes the source branch of a merged merge request, if requested and if the user who merged (or the author, who
 * requested it) may do so. Never removes a protected branch, the default branch, or a branch with new commits.
 */
export async function removeSourceBranch(deps: Deps, id: number, userId: number): Promise<void> {
  const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  if (row?.state !== 'merged' || row.source_project_id === null || !removesSourceBranch(row)) return;
  const people = row.remove_source_branch === 1 ? [userId, row.author_id] : [userId];
  for (const person of new Set(people)) if (await removeAs(deps, row, row.source_project_id, person)) break;
  await deps.jobs.cancel(deps.db, REMOVE, id);
}

/** @returns whether it is done */
async function removeAs(deps: Deps, row: MergeRequest, projectId: number, userId: number): Promise<boolean> {
  const caller = await jobCaller(deps, userId);
  const actor = caller && (await callerInProject(deps, caller, projectId));
  if (actor === undefined) return false;
  const ref = `refs/heads/${row.source_branch}`;
  return inRepositoryQueue(deps, actor.project, async (repo) => {
    const now = await repo.refs.resolve(ref);
    if (now === null || now !== row.head_sha) return true;
    try {
      const cause = { type: 'source_removed', merge_request_id: row.id } as const;
      await changeOneRef(deps, repo, actor.project, actor, { ref, old: now, new: null }, cause);
      return true;
    } catch (error) {
      if (error instanceof RepositoryReadOnly) throw error;
      // Not allowed, or moved in the meantime: the merge itself is done.
      if (error instanceof ApiError || (error instanceof GitError && error.code === 'conflict')) return false;
      throw error;
    }
  });
}
