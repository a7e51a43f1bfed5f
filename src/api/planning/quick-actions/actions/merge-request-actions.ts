import { ApiError } from '../../../../core/core.errors.ts';
import { canMergeInto } from '../../../../repositories/repository.protections.ts';
import { tipOf } from '../../merge-requests/lifecycle/branches.ts';
import { requestRebase, sourceActor } from '../../merge-requests/merging/merging.rebase.ts';
import { acceptMergeRequest } from '../../merge-requests/merging/merging.writes.ts';
import { type Context, MERGE_REQUESTS, mayUpdate, type QuickAction } from '../quick-actions.action.ts';

async function mayMerge({ deps, scope, mergeRequest: row }: Context): Promise<boolean> {
  if (row?.state !== 'opened' || !scope.permissions.can('merge_merge_request')) return false;
  return canMergeInto(deps, scope, scope.project.id, row.target_branch);
}

async function mayRebase({ deps, scope, mergeRequest: row }: Context): Promise<boolean> {
  if (row?.state !== 'opened' || !scope.permissions.can('rebase_merge_request')) return false;
  try {
    await sourceActor(deps, scope.caller, row);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

const isDraft = ({ mergeRequest, update }: Context): boolean =>
  update.wip_event === undefined ? mergeRequest?.draft === 1 : update.wip_event === 'draft';

const NO_CHANGE = { message: "No change to this merge request's draft status." };

/** Quick actions for merging, rebasing, drafts and the target branch. */
export const mergeRequestActions: readonly QuickAction[] = [
  {
    name: 'merge',
    on: MERGE_REQUESTS,
    once: true,
    may: mayMerge,
    evaluate: (c) => {
      const { diffHeadSha: sha, mergeRequest } = c;
      if (sha === undefined || sha === '') {
        return { message: 'The `/merge` quick action requires the SHA of the head of the branch.' };
      }
      if (sha !== mergeRequest!.head_sha) {
        return { message: 'Branch has been updated since the merge was requested.' };
      }
      return {
        changes: { merge: sha },
        afterCommit: async ({ deps, scope, mergeRequest: now }) => {
          if (c.rebaseRequested) throw new ApiError(409, 'A merge request cannot be merged while it is being rebased.');
          await acceptMergeRequest(deps, scope, now!, { auto: true, sha });
          const { state } = await deps.db
            .selectFrom('merge_requests')
            .select('state')
            .where('id', '=', now!.id)
            .executeTakeFirstOrThrow();
          if (state === 'merged') return 'Merged this merge request.';
          return 'Scheduled to merge this merge request (Merge when checks pass).';
        },
      };
    },
  },
  {
    name: 'rebase',
    on: MERGE_REQUESTS,
    once: true,
    may: mayRebase,
    evaluate: (c) => {
      const { merge_status, source_branch } = c.mergeRequest!;
      if (merge_status === 'cannot_be_merged') {
        return { message: 'This merge request is currently in an unmergeable state, and cannot be rebased.' };
      }
      c.rebaseRequested = true;
      return {
        message: `Scheduled a rebase of branch ${source_branch}.`,
        changes: { rebase: true },
        inTransaction: async ({ deps, scope, mergeRequest }) => {
          await requestRebase(deps, scope.caller, mergeRequest!, false);
          return undefined;
        },
      };
    },
  },
  {
    name: 'draft',
    on: MERGE_REQUESTS,
    atCreation: true,
    may: mayUpdate,
    evaluate: (c) =>
      isDraft(c) ? NO_CHANGE : { message: 'Marked this merge request as a draft.', update: { wip_event: 'draft' } },
  },
  {
    name: 'ready',
    on: MERGE_REQUESTS,
    atCreation: true,
    may: mayUpdate,
    evaluate: (c) =>
      c.mergeRequest === null || isDraft(c)
        ? { message: 'Marked this merge request as ready.', update: { wip_event: 'ready' } }
        : NO_CHANGE,
  },
  {
    name: 'target_branch',
    on: MERGE_REQUESTS,
    atCreation: true,
    requiresArgument: true,
    may: mayUpdate,
    evaluate: async (c, branch) =>
      branch.length <= 255 && (await tipOf(c.deps, c.scope.project, branch)) !== null
        ? { message: `Set target branch to ${branch}.`, update: { target_branch: branch } }
        : { message: 'Failed to set target branch because it does not exist.' },
  },
];
