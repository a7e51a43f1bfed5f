import { transactionDeps } from '../../../access/transaction-deps.ts';
import { badRequest, recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/draft-notes.publish.ts';
import type { Noteable } from '../notes/noteable.ts';
import {
  changeNote,
  type NewNote,
  removeNote,
  requireBody,
  writeNote,
  writeNoteInTransaction,
} from '../notes/notes.writes.ts';
import { type CommandChanges, type Execution, executeActions, finish } from './quick-actions.execute.ts';
import { MAX_COMMANDS } from './quick-actions.parse.ts';
import { type ActionTarget, type Prepared, type PrepareOptions, prepare } from './quick-actions.prepare.ts';

/** A note that was written, and what its quick actions did. */
export interface CommentResult {
  /** Null where the text held quick actions alone. */
  note: Note | null;
  changes: CommandChanges;
  summary: string[];
}

/** Something that belongs to a note, done before it in its transaction. */
type BeforeWrite = (db: Db) => Promise<void>;

/** @throws ApiError 404 where it is gone */
async function targetOf({ db }: Deps, noteable: Noteable): Promise<ActionTarget | null> {
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
  const target = await targetOf(deps, noteable);
  return target === null ? null : prepare(deps, scope, target, body, options);
}

/**
 * Writes a note and does what its quick actions ask for, in one transaction; what writes to a repository comes after it.
 * @param options `before`: what else belongs to the note; `diffHeadSha`: head of the merge request that the writer has seen
 * @throws ApiError as `writeNote`; 400 for quick actions alone that nothing follows from
 */
export async function createComment(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  draft: NewNote,
  { before, diffHeadSha }: { before?: BeforeWrite; diffHeadSha?: string | undefined } = {},
): Promise<CommentResult> {
  requireBody(draft.body);
  const prepared = await prepareNote(deps, scope, noteable, draft.body, { diffHeadSha });
  if (prepared === null)
    return { note: await writeNote(deps, scope, noteable, draft, before), changes: {}, summary: [] };
  const review = reviewWriter(scope);
  const { note, execution } = await deps.db.transaction().execute(async (db) => {
    const inside = transactionDeps(deps, db);
    const note = await writeRemaining(inside, scope, noteable, { ...draft, body: prepared.text }, before);
    return { note, execution: await executeActions(inside, scope, prepared, review) };
  });
  return finishComment(deps, scope, note, execution, review);
}

/** Writes what is left of a note without its quick actions; nothing where nothing is. */
const writeRemaining = async (
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  draft: NewNote,
  before: BeforeWrite | undefined,
): Promise<Note | null> =>
  draft.body.trim() === '' ? null : writeNoteInTransaction(deps, deps.db, scope, noteable, draft, before);

async function finishComment(
  deps: Deps,
  scope: UserScope,
  note: Note | null,
  execution: Execution,
  review: ReviewWriter,
): Promise<CommentResult> {
  await review.finish(deps);
  const result = await finish(deps, scope, execution);
  if (note === null && result.summary.length === 0) throw badRequest('Failed to apply commands.');
  return { note, ...result };
}

/**
 * Changes the text of a note, and does what quick actions in it ask for. With quick actions alone nothing is left to keep.
 * @throws ApiError as `changeNote`
 */
export async function updateComment(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  { id }: Note,
  body: string,
): Promise<CommentResult> {
  requireBody(body);
  const prepared = await prepareNote(deps, scope, noteable, body);
  if (prepared === null) return { note: await changeNote(deps, scope, noteable, id, body), changes: {}, summary: [] };
  const review = reviewWriter(scope);
  const { note, execution } = await deps.db.transaction().execute(async (db) => {
    const inside = transactionDeps(deps, db);
    const note = await updateRemaining(inside, scope, noteable, id, prepared);
    return { note, execution: await executeActions(inside, scope, prepared, review) };
  });
  return finishComment(deps, scope, note, execution, review);
}

async function updateRemaining(
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
  let executions: Execution[] = [];
  let left = MAX_COMMANDS;
  const write: WriteInReview = async (deps, noteable, draft, before) => {
    // A transaction that begins again does all of it again.
    if (deps.db !== db) [db, executions, left] = [deps.db, [], MAX_COMMANDS];
    const prepared = await prepareNote(deps, scope, noteable, draft.body, { inReview: true, maxCommands: left });
    if (prepared === null) return writeNoteInTransaction(deps, deps.db, scope, noteable, draft, before);
    const note = await writeRemaining(deps, scope, noteable, { ...draft, body: prepared.text }, before);
    left = Math.max(0, left - prepared.actions.length);
    executions.push(await executeActions(deps, scope, prepared, { write }));
    return note;
  };
  return {
    write,
    finish: async (deps) => {
      for (const execution of executions.splice(0)) await finish(deps, scope, execution);
    },
  };
}
