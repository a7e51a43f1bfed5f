import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { onObject, type UserScope } from '../../object-access.ts';
import { MergeRequestIid } from '../merge-requests/lifecycle/merge-requests.access.ts';
import { NOTEABLE_KINDS } from '../notes/noteable.ts';
import { noteableTarget } from '../notes/notes.access.ts';
import { findDraft, type ReviewedMergeRequest } from './draft-notes.writes.ts';

const { read } = NOTEABLE_KINDS.merge_requests;

/** Finds the merge request of a path, as a noteable. @throws ApiError 404 */
export const reviewedMergeRequest = async (deps: Deps, scope: UserScope, iid: number): Promise<ReviewedMergeRequest> =>
  (await NOTEABLE_KINDS.merge_requests.find(deps, scope, iid)) as ReviewedMergeRequest;

/** Access for users who may comment on the merge request; the handler gets it as `noteable`. */
export const reviewer = onObject(
  {
    noun: 'merge request',
    sees: read,
    params: MergeRequestIid,
    find: async (deps, scope, { merge_request_iid }) => ({
      noteable: await reviewedMergeRequest(deps, scope, merge_request_iid),
    }),
    target: (_deps, { noteable }, { user }) => noteableTarget(noteable, user.id),
  },
  'create_note',
);

/** Access for the author of a draft, 404 for others; the handler gets it as `draft`. */
export const onDraft = (ability: 'update_draft_note' | 'discard_draft_note') =>
  onObject(
    {
      noun: 'draft',
      sees: read,
      params: { ...MergeRequestIid, draft_note_id: Type.Integer({ description: 'Id of the draft.' }) },
      find: async (deps, scope, { merge_request_iid, draft_note_id }) => {
        const noteable = await reviewedMergeRequest(deps, scope, merge_request_iid);
        return { noteable, draft: await findDraft(deps, scope, noteable, draft_note_id) };
      },
      target: (_deps, { noteable: { locked } }) => ({ is: (relation) => relation === 'author', locked }),
    },
    ability,
  );
