import { timestamp } from '../../../core/clock.ts';
import { badRequest, forbidden } from '../../../core/core.errors.ts';
import { mergeRequestFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Noteable } from '../notes/noteable.ts';
import { notesOf, reloadNote } from '../notes/notes.find.ts';
import type { Writer } from '../notes/notes.rights.ts';
import { isResolvable } from '../notes/notes.views.ts';
import { countNote, type NewNote, recordResolution, requireBody, touchNoteable } from '../notes/notes.writes.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { hasCommit, resolveThreadPosition } from './locate.ts';
import type { PositionInput } from './position.ts';

/** Input of a new thread. */
export interface NewDiscussion {
  body: string;
  created_at?: string | undefined;
  position?: PositionInput | undefined;
  commit_id?: string | undefined;
  /** Whether only members with at least the Planner role see it. */
  internal?: boolean | undefined;
}

/**
 * Builds the first note of a thread, on a line of a diff if a position is given.
 * @throws ApiError 400 for a blank note or a line outside the diff, 429
 */
export async function threadStart(
  deps: Deps,
  writer: Writer,
  project: Project,
  noteable: Noteable,
  { body, created_at: createdAt, position, commit_id: commitId, internal = false }: NewDiscussion,
): Promise<NewNote> {
  countNote(deps, writer);
  requireBody(body);
  if (
    commitId !== undefined &&
    noteable.type === 'MergeRequest' &&
    !(await hasCommit(deps.db, noteable.id, commitId))
  ) {
    throw badRequest('Note {:commit_id=>["is not a commit of the merge request"]}');
  }
  const place = position === undefined ? null : await resolveThreadPosition(deps, project, noteable, position);
  return {
    body,
    createdAt,
    internal,
    type: place === null ? 'DiscussionNote' : 'DiffNote',
    position: place,
    commitId: noteable.type === 'MergeRequest' ? (commitId ?? null) : null,
  };
}

/**
 * Builds a reply to a thread, and the work to do before. A reply turns a single comment on an issue or merge request
 * into a thread.
 * @throws ApiError 400 if no reply is possible, 429
 */
export function reply(
  deps: Deps,
  writer: Writer,
  noteable: Noteable,
  discussion: readonly Note[],
  { body, created_at: createdAt }: Pick<NewDiscussion, 'body' | 'created_at'>,
): { draft: NewNote; before: (db: Db) => Promise<void> } {
  countNote(deps, writer);
  const { note, before } = replyToDiscussion(noteable, discussion);
  return { draft: { ...note, body, createdAt }, before };
}

/**
 * Attributes of a reply, and the change of the thread before it, in the same transaction.
 * @throws ApiError 400 if no reply is possible
 */
export function replyToDiscussion(
  noteable: Noteable,
  discussion: readonly Note[],
): { note: Omit<NewNote, 'body'>; before: (db: Db) => Promise<void> } {
  const first = discussion[0]!;
  const single = first.type === null;
  const convertible = first.system === 0 && (noteable.type === 'Issue' || noteable.type === 'MergeRequest');
  if (single && !convertible) throw badRequest('Discussion can not be replied to.');
  return {
    note: {
      internal: first.internal === 1,
      type: first.type ?? 'DiscussionNote',
      discussionId: first.discussion_id,
      position: first.position === null ? null : (JSON.parse(first.position) as object),
      commitId: first.commit_id,
    },
    before: (db) => (single ? becomeThread(db, first) : reloadNote(db, first.id).then(() => undefined)),
  };
}

/** @throws ApiError 404 if the first note no longer exists */
async function becomeThread(db: Db, { id }: Note): Promise<void> {
  await reloadNote(db, id);
  await db.updateTable('notes').set({ type: 'DiscussionNote' }).where('id', '=', id).execute();
}

/**
 * Resolves or reopens notes of a merge request thread. Already resolved notes keep their resolver.
 * @param notes all notes of a thread, or one of them
 * @throws ApiError 403 if none of them is resolvable
 */
export async function setResolved(
  deps: Deps,
  writer: Writer,
  noteable: Noteable,
  notes: readonly Note[],
  resolved: boolean,
): Promise<void> {
  await deps.db.transaction().execute((db) => setResolvedInTransaction(deps, db, writer, noteable, notes, resolved));
}

/** As `setResolved`, with the handle of a transaction. */
export async function setResolvedInTransaction(
  deps: Deps,
  db: Db,
  { caller }: { caller: { user: { id: number } } },
  noteable: Noteable,
  notes: readonly Note[],
  resolved: boolean,
): Promise<void> {
  const ids = notes.filter(isResolvable).map(({ id }) => id);
  if (ids.length === 0 || noteable.type !== 'MergeRequest') throw forbidden();
  const now = timestamp(deps.clock);
  const { id: userId } = caller.user;
  await touchNoteable(db, noteable, now, 0);
  const change = db
    .updateTable('notes')
    .set(resolved ? { resolved_at: now, resolved_by_id: userId } : { resolved_at: null, resolved_by_id: null })
    .where('id', 'in', ids)
    .where('resolved_at', resolved ? 'is' : 'is not', null);
  const { numUpdatedRows } = await change.executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await recordResolution(deps, db, notes[0]!, userId);
  if (resolved && !(await hasUnresolved(db, noteable))) {
    await writeSystemNote(deps, db, noteable, userId, 'discussion', 'resolved all threads');
    await recordAllResolved(deps, db, noteable.id, userId);
  }
}

/** Records an event if no thread of a merge request is open any more. */
async function recordAllResolved(deps: Deps, db: Db, id: number, actorId: number): Promise<void> {
  const row = await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const { project_id } = row;
  const changes: Record<string, [unknown, unknown]> = { blocking_discussions_resolved: [false, true] };
  const payload = { merge_request_id: id, project_id, merge_request: mergeRequestFacts(row), changes };
  await deps.events.record(db, 'merge_request.updated', payload, { projectId: project_id, actorId });
}

async function hasUnresolved(db: Db, noteable: Noteable): Promise<boolean> {
  const row = await db
    .selectFrom('notes')
    .select('id')
    .where(notesOf(noteable))
    .where('type', 'is not', null)
    .where('system', '=', 0)
    .where('resolved_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
