import type { Selectable } from 'kysely';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { badRequest, recordNotFound } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { DraftNote } from '../../../db/tables/draft-notes.table.ts';
import type { MergeRequestReviewersTable } from '../../../db/tables/merge-request-reviewers.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import { replyToDiscussion, setResolvedInTransaction } from '../discussions/discussions.writes.ts';
import { lockMergeRequest } from '../merge-requests/lifecycle/merge-requests.lock.ts';
import type { Noteable } from '../notes/noteable.ts';
import { mayResolve, requireComment, requireInternal, type Writer } from '../notes/notes.rights.ts';
import { isResolvable } from '../notes/notes.views.ts';
import { countNote, type NewNote } from '../notes/notes.writes.ts';
import { readSource, type SuggestionSource } from '../suggestions/suggestion-source.ts';
import type { PublishDraftNotes } from './draft-notes.inputs.ts';
import { draftsOf, type ReviewedMergeRequest, threadOf } from './draft-notes.writes.ts';

/** The author of a review, in the project of the merge request. */
type Reviewer = Writer & Pick<UserScope, 'project'>;
type ReviewerState = Selectable<MergeRequestReviewersTable>['state'];

/** Reviewer states that a published review supersedes. */
const BEFORE_REVIEW: readonly ReviewerState[] = ['unreviewed', 'review_started', 'unapproved'];

/**
 * Publishes a note of a review within its transaction.
 * @param before further work in the same transaction
 * @returns null if nothing of the note remains, as with quick actions only
 */
export type WriteInReview = (
  deps: Deps,
  noteable: Noteable,
  note: NewNote,
  before?: (db: Db) => Promise<void>,
) => Promise<Note | null>;

/**
 * Publishes one draft.
 * @param write writes its note
 * @throws ApiError 403 if the caller may no longer comment, 404 if the draft no longer exists, 429
 */
export async function publishDraft(
  deps: Deps,
  writer: Reviewer,
  noteable: ReviewedMergeRequest,
  id: number,
  write: WriteInReview,
): Promise<void> {
  countNote(deps, writer);
  const sources = await readSources(deps, writer, noteable, id);
  await inTransaction(deps.db, async (db) => {
    const open = await locked(db, writer, noteable);
    const drafts = await take(db, open, writer, id);
    if (drafts.length === 0) throw recordNotFound();
    await publish(transactionDeps(deps, db), writer, open, drafts, { write, sources }, false);
  });
}

/**
 * Publishes all drafts of the caller together, with their summary and review state.
 * @param write writes each of the notes
 * @throws ApiError 400 for a review state of a caller who is not a reviewer, 403 if they may no longer comment, 429
 */
export async function publishReview(
  deps: Deps,
  writer: Reviewer,
  noteable: ReviewedMergeRequest,
  { note = '', internal = false, reviewer_state }: PublishDraftNotes,
  write: WriteInReview,
): Promise<void> {
  countNote(deps, writer);
  requireInternal(writer, noteable, internal);
  const summary = note.trim() === '' ? null : note;
  const sources = await readSources(deps, writer, noteable);
  await inTransaction(deps.db, async (db) => {
    const open = await locked(db, writer, noteable);
    const drafts = await take(db, open, writer);
    const inside = transactionDeps(deps, db);
    const noteIds = await publish(inside, writer, open, drafts, { write, sources }, true);
    if (summary !== null) {
      const draft = { body: summary, internal, type: null, inReview: true };
      const written = await write(inside, open, draft);
      if (written !== null) noteIds.push(written.id);
    }
    await recordReview(deps, db, writer, open, noteIds);
    if (reviewer_state !== undefined) await setReviewer(db, open, writer, reviewer_state);
    else if (drafts.length > 0) await markReviewed(db, open, writer);
  });
}

/** Locks the merge request and checks again that the caller may comment. @throws ApiError 403, 404 */
async function locked(db: Db, writer: Writer, noteable: ReviewedMergeRequest): Promise<ReviewedMergeRequest> {
  const row = await lockMergeRequest(db, noteable.id);
  if (row === undefined) throw recordNotFound();
  const now = { ...noteable, locked: row.discussion_locked === 1 };
  requireComment(writer, now);
  return now;
}

/** What the suggestions of drafts are made from, by the id of the draft. */
type Sources = ReadonlyMap<number, SuggestionSource | null>;

/** Reads the sources of drafts with suggestions, before the transaction that publishes them. */
async function readSources(
  deps: Deps,
  { caller, project }: Reviewer,
  noteable: ReviewedMergeRequest,
  id?: number,
): Promise<Sources> {
  const sources = new Map<number, SuggestionSource | null>();
  const suggesting = draftsOf(deps.db, noteable, caller.user.id).where('note', 'like', '%suggestion%');
  for (const draft of await (id === undefined ? suggesting : suggesting.where('id', '=', id)).execute()) {
    const position = draft.position ?? (await positionOf(deps.db, noteable, draft.discussion_id));
    const at = position === null ? null : parseJson<object>(position);
    sources.set(draft.id, await readSource(deps, project, noteable, at, draft.note));
  }
  return sources;
}

/** The position of a thread. */
async function positionOf(db: Db, { id }: ReviewedMergeRequest, discussionId: string | null) {
  if (discussionId === null) return null;
  const first = await db
    .selectFrom('notes')
    .select('position')
    .where('discussion_id', '=', discussionId)
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', id)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.position ?? null;
}

/** Deletes and returns drafts, so that each is published once. */
async function take(db: Db, noteable: ReviewedMergeRequest, { caller }: Writer, id?: number): Promise<DraftNote[]> {
  const query = draftsOf(db, noteable, caller.user.id).orderBy('id');
  const drafts = await (id === undefined ? query : query.where('id', '=', id)).execute();
  const ids = drafts.map((draft) => draft.id);
  if (ids.length > 0) await db.deleteFrom('draft_notes').where('id', 'in', ids).execute();
  return drafts;
}

/** @returns the ids of the comments */
async function publish(
  deps: Deps,
  writer: Writer,
  noteable: ReviewedMergeRequest,
  drafts: readonly DraftNote[],
  { write, sources }: { write: WriteInReview; sources: Sources },
  inReview: boolean,
): Promise<number[]> {
  const ids: number[] = [];
  for (const draft of drafts) {
    const source = sources.get(draft.id) ?? null;
    const thread =
      draft.discussion_id === null ? undefined : await threadOf(deps, writer, noteable, draft.discussion_id);
    if (thread === undefined) {
      const started = await write(deps, noteable, { ...threadStart(draft), inReview, source });
      if (started !== null) ids.push(started.id);
      continue;
    }
    const { note, before } = replyToDiscussion(noteable, thread);
    const response = await write(deps, noteable, { ...note, body: draft.note, inReview, source }, before);
    if (response !== null) ids.push(response.id);
    // The reply is resolved together with the thread; a single comment has become a thread by it.
    const all =
      response === null
        ? thread
        : [...thread.map((each) => ({ ...each, type: each.type ?? ('DiscussionNote' as const) })), response];
    if (!all.some(isResolvable) || !(await mayResolve(writer, noteable))) continue;
    await setResolvedInTransaction(deps, deps.db, writer, noteable, all, draft.resolve_discussion === 1);
  }
  return ids;
}

/** Records that comments were published together. */
async function recordReview(
  deps: Deps,
  db: Db,
  { caller }: Writer,
  { id, projectId }: ReviewedMergeRequest,
  noteIds: number[],
): Promise<void> {
  if (noteIds.length === 0) return;
  const payload = { merge_request_id: id, project_id: projectId, note_ids: noteIds };
  await deps.events.record(db, 'merge_request.reviewed', payload, { projectId, actorId: caller.user.id });
}

const threadStart = ({ note, position, commit_id }: DraftNote): NewNote => ({
  body: note,
  type: position === null ? 'DiscussionNote' : 'DiffNote',
  position: position === null ? null : (JSON.parse(position) as object),
  commitId: commit_id,
});

/** Stores the review state of the caller. @throws ApiError 400 if the caller is not a reviewer */
export async function setReviewer(
  db: Db,
  { id }: ReviewedMergeRequest,
  { caller }: Writer,
  state: ReviewerState,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', id)
    .where('user_id', '=', caller.user.id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw badRequest('reviewer_state can only be set by a reviewer of the merge request');
}

async function markReviewed(db: Db, { id }: ReviewedMergeRequest, { caller }: Writer): Promise<void> {
  await db
    .updateTable('merge_request_reviewers')
    .set({ state: 'reviewed' })
    .where('merge_request_id', '=', id)
    .where('user_id', '=', caller.user.id)
    .where('state', 'in', BEFORE_REVIEW)
    .execute();
}
