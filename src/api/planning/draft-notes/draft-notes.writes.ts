import { timestamp } from '../../../core/clock.ts';
import { ApiError, badRequest, invalidModel, recordNotFound } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { DraftNote } from '../../../db/tables/draft-notes.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { findDiscussion } from '../discussions/discussions.find.ts';
import { hasCommit, resolveThreadPosition } from '../discussions/locate.ts';
import type { PositionInput } from '../discussions/position.ts';
import { lockMergeRequest } from '../merge-requests/lifecycle/merge-requests.lock.ts';
import type { Noteable } from '../notes/noteable.ts';
import { mayResolve, type Writer } from '../notes/notes.rights.ts';
import { isResolvable } from '../notes/notes.views.ts';
import { countNote } from '../notes/notes.writes.ts';
import type { CreateDraftNote } from './draft-notes.inputs.ts';

/** Maximum number of drafts of a user on a merge request. */
export const MAX_DRAFTS = 500;

/** A merge request under review. */
export type ReviewedMergeRequest = Noteable & { type: 'MergeRequest' };

/** Query for the drafts of a user on a merge request. */
export const draftsOf = (db: Db, { id }: ReviewedMergeRequest, userId: number) =>
  db.selectFrom('draft_notes').selectAll().where('merge_request_id', '=', id).where('author_id', '=', userId);

/** Finds a draft of a user by its id. @throws ApiError 404 */
export async function findDraft(
  deps: Deps,
  { caller }: Writer,
  noteable: ReviewedMergeRequest,
  id: number,
): Promise<DraftNote> {
  return draftsOf(deps.db, noteable, caller.user.id).where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}

/** @throws ApiError 400 if there is no such thread, or if the caller may not resolve it as requested */
async function checkThread(
  deps: Deps,
  writer: Writer,
  noteable: ReviewedMergeRequest,
  { in_reply_to_discussion_id: id, resolve_discussion: resolve }: CreateDraftNote,
): Promise<void> {
  const thread = id === undefined ? undefined : await threadOf(deps, writer, noteable, id);
  if (id !== undefined && thread === undefined) {
    throw invalidModel({ base: ['Thread to reply to cannot be found'] });
  }
  if (resolve === true && !(thread?.some(isResolvable) && (await mayResolve(writer, noteable)))) {
    throw invalidModel({ base: ['User is not allowed to resolve thread'] });
  }
}

/** The notes of a thread that the caller may read; undefined for none. */
export async function threadOf(
  deps: Deps,
  writer: Writer,
  noteable: ReviewedMergeRequest,
  id: string,
): Promise<readonly Note[] | undefined> {
  try {
    return await findDiscussion(deps, writer, noteable, id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Creates a draft; only its author sees it.
 * @throws ApiError 400 for an unknown thread, commit or line, and beyond 500 drafts; 404, 429
 */
export async function createDraft(
  deps: Deps,
  writer: Writer,
  project: Project,
  noteable: ReviewedMergeRequest,
  input: CreateDraftNote,
): Promise<DraftNote> {
  const { id: userId } = writer.caller.user;
  countNote(deps, writer);
  await checkThread(deps, writer, noteable, input);
  if (input.commit_id !== undefined && !(await hasCommit(deps.db, noteable.id, input.commit_id))) {
    throw invalidModel({ commit_id: ['is not a commit of the merge request'] });
  }
  const place =
    input.position === undefined ? null : await resolveThreadPosition(deps, project, noteable, input.position);
  const now = timestamp(deps.clock);
  return deps.db.transaction().execute(async (db) => {
    if ((await lockMergeRequest(db, noteable.id)) === undefined) throw recordNotFound();
    const there = await draftsOf(db, noteable, userId).clearSelect().select('id').limit(MAX_DRAFTS).execute();
    if (there.length >= MAX_DRAFTS)
      throw badRequest(
        `Limit reached: a merge request has at most ${MAX_DRAFTS} drafts of a user. Publish or delete some first.`,
      );
    await db
      .updateTable('merge_request_reviewers')
      .set({ state: 'review_started' })
      .where('merge_request_id', '=', noteable.id)
      .where('user_id', '=', userId)
      .where('state', '=', 'unreviewed')
      .execute();
    return db
      .insertInto('draft_notes')
      .values({
        merge_request_id: noteable.id,
        author_id: userId,
        discussion_id: input.in_reply_to_discussion_id ?? null,
        resolve_discussion: bit(input.resolve_discussion ?? false),
        note: input.note,
        commit_id: input.commit_id ?? null,
        position: place === null ? null : JSON.stringify(place),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/**
 * Changes the text or the position of a draft.
 * @throws ApiError 400 for an unknown line, 404 if the draft no longer exists
 */
export async function updateDraft(
  deps: Deps,
  project: Project,
  noteable: ReviewedMergeRequest,
  draft: DraftNote,
  input: { note?: string | undefined; position?: PositionInput | undefined },
): Promise<DraftNote> {
  const place =
    input.position === undefined ? undefined : await resolveThreadPosition(deps, project, noteable, input.position);
  return deps.db
    .updateTable('draft_notes')
    .set({
      ...(input.note === undefined ? {} : { note: input.note }),
      ...(place === undefined ? {} : { position: JSON.stringify(place) }),
      updated_at: timestamp(deps.clock),
    })
    .where('id', '=', draft.id)
    .returningAll()
    .executeTakeFirstOrThrow(recordNotFound);
}
