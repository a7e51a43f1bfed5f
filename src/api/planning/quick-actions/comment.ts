import { within } from '../../../access/within.ts';
import { badRequest, recordNotFound } from '../../../core/errors.ts';
import type { Db } from '../../../db/schema.ts';
import type { Note } from '../../../db/tables/notes.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/publish.ts';
import type { Noteable } from '../notes/noteable.ts';
import { changeNote, type NewNote, removeNote, requireBody, writeNote, writeNoteWithin } from '../notes/writes.ts';
import { MAX_CALLS } from './parse.ts';
import { type Changes, finish, type Performed, perform } from './perform.ts';
import { type ActedOn, type Prepared, type PrepareOptions, prepare } from './prepare.ts';

/** A note that was written, and what its quick actions did. */
export interface Commented {
  /** Null where the text held quick actions alone. */
  note: Note | null;
  changes: Changes;
  summary: string[];
}

/** Something that belongs to a note, done before it in its transaction. */
type Before = (db: Db) => Promise<void>;

/** @throws ApiError 404 where it is gone */
async function actedOn({ db }: Deps, noteable: Noteable): Promise<ActedOn | null> {
  const nothing = { issue: null, mergeRequest: null, sha: null };
  switch (noteable.type) {
    case 'Snippet':
      return null;
    case 'Commit':
      return { ...nothing, type: 'Commit', sha: noteable.sha };
    case 'Issue': {
      const issue = await db.selectFrom('issues').selectAll().where('id', '=', noteable.id).executeTakeFirst();
      if (issue === undefined) throw recordNotFound();
      return { ...nothing, type: 'Issue', issue };
    }
    case 'MergeRequest': {
      const row = await db.selectFrom('merge_requests').selectAll().where('id', '=', noteable.id).executeTakeFirst();
      if (row === undefined) throw recordNotFound();
      return { ...nothing, type: 'MergeRequest', mergeRequest: row };
    }
  }
}

async function prepareNote(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  body: string,
  options: PrepareOptions = {},
) {
  if (!body.includes('/')) return null;
  const on = await actedOn(deps, noteable);
  return on === null ? null : prepare(deps, scope, on, body, options);
}

/**
 * Writes a note and does what its quick actions ask for, in one transaction; what writes to a repository comes after it.
 * @param options `before`: what else belongs to the note; `seenHead`: head of the merge request that the writer has seen
 * @throws ApiError as `writeNote`; 400 for quick actions alone that nothing follows from
 */
export async function comment(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  draft: NewNote,
  { before, seenHead }: { before?: Before; seenHead?: string | undefined } = {},
): Promise<Commented> {
  requireBody(draft.body);
  const prepared = await prepareNote(deps, scope, noteable, draft.body, { seenHead });
  if (prepared === null)
    return { note: await writeNote(deps, scope, noteable, draft, before), changes: {}, summary: [] };
  const review = reviewWriter(scope);
  const { note, done } = await deps.db.transaction().execute(async (db) => {
    const inside = within(deps, db);
    const note = await writeRest(inside, scope, noteable, { ...draft, body: prepared.text }, before);
    return { note, done: await perform(inside, scope, prepared, review) };
  });
  return conclude(deps, scope, note, done, review);
}

/** Writes what is left of a note without its quick actions; nothing where nothing is. */
const writeRest = async (
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  draft: NewNote,
  before: Before | undefined,
): Promise<Note | null> =>
  draft.body.trim() === '' ? null : writeNoteWithin(deps, deps.db, scope, noteable, draft, before);

async function conclude(
  deps: Deps,
  scope: UserScope,
  note: Note | null,
  done: Performed,
  review: ReviewWriter,
): Promise<Commented> {
  await review.finish(deps);
  const told = await finish(deps, scope, done);
  if (note === null && told.summary.length === 0) throw badRequest('Failed to apply commands.');
  return { note, ...told };
}

/**
 * Changes the text of a note, and does what quick actions in it ask for. With quick actions alone nothing is left to keep.
 * @throws ApiError as `changeNote`
 */
export async function changeComment(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  { id }: Note,
  body: string,
): Promise<Commented> {
  requireBody(body);
  const prepared = await prepareNote(deps, scope, noteable, body);
  if (prepared === null) return { note: await changeNote(deps, scope, noteable, id, body), changes: {}, summary: [] };
  const review = reviewWriter(scope);
  const { note, done } = await deps.db.transaction().execute(async (db) => {
    const inside = within(deps, db);
    const note = await changeRest(inside, scope, noteable, id, prepared);
    return { note, done: await perform(inside, scope, prepared, review) };
  });
  return conclude(deps, scope, note, done, review);
}

async function changeRest(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  id: number,
  { text }: Prepared,
): Promise<Note | null> {
  if (text.trim() !== '') return changeNote(deps, scope, noteable, id, text);
  await removeNote(deps, scope, noteable, id);
  return null;
}

/** What writes the notes of a review, with their quick actions. */
export interface ReviewWriter {
  write: WriteInReview;
  /** Does what could not be part of the review's transaction, after it. */
  finish(deps: Deps): Promise<void>;
}

/** Writes the notes of a review within its transaction. Make one for each review. */
export function reviewWriter(scope: UserScope): ReviewWriter {
  let db: Db | null = null;
  let performed: Performed[] = [];
  let left = MAX_CALLS;
  const write: WriteInReview = async (deps, noteable, draft, before) => {
    // A transaction that begins again does all of it again.
    if (deps.db !== db) [db, performed, left] = [deps.db, [], MAX_CALLS];
    const prepared = await prepareNote(deps, scope, noteable, draft.body, { inReview: true, atMost: left });
    if (prepared === null) return writeNoteWithin(deps, deps.db, scope, noteable, draft, before);
    const note = await writeRest(deps, scope, noteable, { ...draft, body: prepared.text }, before);
    left = Math.max(0, left - prepared.acts.length);
    performed.push(await perform(deps, scope, prepared, { write }));
    return note;
  };
  return {
    write,
    finish: async (deps) => {
      for (const done of performed.splice(0)) await finish(deps, scope, done);
    },
  };
}
