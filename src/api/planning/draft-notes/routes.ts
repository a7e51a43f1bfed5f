import { Type } from 'typebox';
import { recordNotFound } from '../../../core/errors.ts';
import { pageOf } from '../../../db/paginate.ts';
import type { Deps } from '../../../deps.ts';
import { setPageHeaders } from '../../../http/pagination.ts';
import { type Route, route } from '../../../http/route.ts';
import { pagination } from '../../../http/schema.ts';
import { MergeRequestIid, ONE, params, usable } from '../merge-requests/requests/access.ts';
import { NOTEABLE_KINDS, type NoteScope } from '../notes/noteable.ts';
import { requireComment } from '../notes/rights.ts';
import { publishDraft, publishReview } from './publish.ts';
import { CreateDraftNote, DraftNote, PublishDraftNotes, presentDraft, UpdateDraftNote } from './schema.ts';
import { createDraft, draftsOf, findDraft, type Reviewed, updateDraft } from './write.ts';

const PATH = `${ONE}/draft_notes`;
const oneParams = Type.Object({
  ...MergeRequestIid,
  draft_note_id: Type.Integer({ description: 'Id of the draft.' }),
});

type Asked = NoteScope & { deps: Deps; params: { merge_request_iid: number } };

/** The merge request of the address. @throws ApiError 404 */
const reviewedOf = async (c: Asked): Promise<Reviewed> =>
  (await NOTEABLE_KINDS.merge_requests.find(c.deps, c, c.params.merge_request_iid)) as Reviewed;

export const draftNoteRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: "List the caller's draft notes on a merge request",
    description: 'Only their author sees them. The oldest first.',
    access: usable,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(DraftNote) },
    errors: [404],
    handler: async (c) => {
      const query = draftsOf(c.deps.db, await reviewedOf(c), c.caller.user.id).orderBy('id');
      const { rows, total } = await pageOf(c.deps.db, query, c.page);
      setPageHeaders(c.deps.externalUrl(), c.request, c.reply, c.page, { total });
      return rows.map(presentDraft);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Write a draft note on a merge request',
    access: usable,
    params,
    input: CreateDraftNote,
    success: { status: 201, schema: DraftNote },
    errors: [400, 403, 404, 429],
    handler: async (c) => {
      const noteable = await reviewedOf(c);
      requireComment(c, noteable);
      return presentDraft(await createDraft(c.deps, c, c.project, noteable, c.input));
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/bulk_publish`,
    summary: "Publish all of the caller's draft notes on a merge request",
    access: usable,
    params,
    input: PublishDraftNotes,
    success: { status: 204, empty: true },
    errors: [400, 403, 404, 429],
    handler: async (c) => publishReview(c.deps, c, await reviewedOf(c), c.input),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:draft_note_id`,
    summary: "Get one of the caller's draft notes",
    access: usable,
    params: oneParams,
    success: { status: 200, schema: DraftNote },
    errors: [404],
    handler: async (c) => presentDraft(await findDraft(c.deps, c, await reviewedOf(c), c.params.draft_note_id)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:draft_note_id`,
    summary: "Change one of the caller's draft notes",
    access: usable,
    params: oneParams,
    input: UpdateDraftNote,
    rules: { atLeastOne: [['note', 'position']] },
    success: { status: 200, schema: DraftNote },
    errors: [400, 403, 404],
    handler: async (c) => {
      const noteable = await reviewedOf(c);
      const draft = await findDraft(c.deps, c, noteable, c.params.draft_note_id);
      requireComment(c, noteable);
      return presentDraft(await updateDraft(c.deps, c.project, noteable, draft, c.input));
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:draft_note_id/publish`,
    summary: "Publish one of the caller's draft notes",
    access: usable,
    params: oneParams,
    success: { status: 204, empty: true },
    errors: [403, 404, 429],
    handler: async (c) => {
      const noteable = await reviewedOf(c);
      await findDraft(c.deps, c, noteable, c.params.draft_note_id);
      await publishDraft(c.deps, c, noteable, c.params.draft_note_id);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:draft_note_id`,
    summary: "Delete one of the caller's draft notes",
    access: usable,
    params: oneParams,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async (c) => {
      const { id } = await findDraft(c.deps, c, await reviewedOf(c), c.params.draft_note_id);
      const { numDeletedRows } = await c.deps.db.deleteFrom('draft_notes').where('id', '=', id).executeTakeFirst();
      if (numDeletedRows === 0n) throw recordNotFound();
    },
  }),
];
