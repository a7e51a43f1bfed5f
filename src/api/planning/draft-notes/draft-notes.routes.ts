import { Type } from 'typebox';
import { recordNotFound } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import {
  MERGE_REQUEST_PATH,
  MergeRequestIid,
  mergeRequestWriter,
  params,
} from '../merge-requests/lifecycle/merge-requests.access.ts';
import { reviewWriter } from '../quick-actions/quick-actions.comment.ts';
import { onDraft, reviewedMergeRequest, reviewer } from './draft-notes.access.ts';
import { CreateDraftNote, PublishDraftNotes, UpdateDraftNote } from './draft-notes.inputs.ts';
import { publishDraft, publishReview } from './draft-notes.publish.ts';
import { DraftNote } from './draft-notes.responses.ts';
import { presentDraft } from './draft-notes.views.ts';
import { createDraft, draftsOf, findDraft, updateDraft } from './draft-notes.writes.ts';

const PATH = `${MERGE_REQUEST_PATH}/draft_notes`;
const oneParams = Type.Object({
  ...MergeRequestIid,
  draft_note_id: Type.Integer({ description: 'Id of the draft.' }),
});

export const draftNoteRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: "List the caller's draft notes on a merge request",
    description: 'Drafts are visible to their author only. Oldest first.',
    access: mergeRequestWriter,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(DraftNote) },
    errors: [404],
    handler: async (c) => {
      const query = draftsOf(
        c.deps.db,
        await reviewedMergeRequest(c.deps, c, c.params.merge_request_iid),
        c.caller.user.id,
      ).orderBy('id');
      return c.page(query, (rows) => rows.map(presentDraft));
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Write a draft note on a merge request',
    access: reviewer,
    input: CreateDraftNote,
    success: { status: 201, schema: DraftNote },
    errors: [400, 403, 404, 429],
    handler: async (c) => presentDraft(await createDraft(c.deps, c, c.project, c.noteable, c.input)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/bulk_publish`,
    summary: "Publish all of the caller's draft notes on a merge request",
    description: 'Quick actions in the drafts are executed.',
    access: reviewer,
    input: PublishDraftNotes,
    success: { status: 204, empty: true },
    errors: [400, 403, 404, 429],
    handler: async (c) => {
      const review = reviewWriter(c);
      await publishReview(c.deps, c, c.noteable, c.input, review.write);
      await review.finish(c.deps);
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:draft_note_id`,
    summary: "Get one of the caller's draft notes",
    access: mergeRequestWriter,
    params: oneParams,
    success: { status: 200, schema: DraftNote },
    errors: [404],
    handler: async (c) =>
      presentDraft(
        await findDraft(
          c.deps,
          c,
          await reviewedMergeRequest(c.deps, c, c.params.merge_request_iid),
          c.params.draft_note_id,
        ),
      ),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:draft_note_id`,
    summary: "Change one of the caller's draft notes",
    access: onDraft('update_draft_note'),
    input: UpdateDraftNote,
    rules: { atLeastOne: [['note', 'position']] },
    success: { status: 200, schema: DraftNote },
    errors: [400, 403, 404],
    handler: async (c) => presentDraft(await updateDraft(c.deps, c.project, c.noteable, c.draft, c.input)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:draft_note_id/publish`,
    summary: "Publish one of the caller's draft notes",
    description: 'Quick actions in the draft are executed.',
    access: onDraft('update_draft_note'),
    success: { status: 204, empty: true },
    errors: [403, 404, 429],
    handler: async (c) => {
      const review = reviewWriter(c);
      await publishDraft(c.deps, c, c.noteable, c.draft.id, review.write);
      await review.finish(c.deps);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:draft_note_id`,
    summary: "Delete one of the caller's draft notes",
    access: onDraft('discard_draft_note'),
    success: { status: 204, empty: true },
    errors: [404],
    handler: async (c) => {
      const { id } = c.draft;
      const { numDeletedRows } = await c.deps.db.deleteFrom('draft_notes').where('id', '=', id).executeTakeFirst();
      if (numDeletedRows === 0n) throw recordNotFound();
    },
  }),
];
