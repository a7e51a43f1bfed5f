import { transactionDeps } from '../../../access/transaction-deps.ts';
import { badRequest, recordNotFound } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
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
import { readSource, type SuggestionSource } from '../suggestions/suggestion-source.ts';
import { type CommandChanges, type Execution, executeActions, finish } from './quick-actions.execute.ts';
import { MAX_COMMANDS } from './quick-actions.parse.ts';
import { type ActionTarget, type Prepared, type PrepareOptions, prepare } from './quick-actions.prepare.ts';

/** A written note, with the results of its quick actions. */
export interface CommentResult {
  /** Null if the text had quick actions only. */
  note: Note | null;
  changes: CommandChanges;
  summary: string[];
}

/** Work before the note, in the same transaction. */
type BeforeWrite = (db: Db) => Promise<void>;

/** @throws ApiError 404 if it no longer exists */
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
 * Writes a note and executes its quick actions in one transaction; those that write to a repository run after it.
 * @param options `before`: work before the note; `diffHeadSha`: head of the merge request as the author knows it
 * @throws ApiError as `writeNote`; 400 for quick actions only, none of which has an effect
 */
export async function createComment(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  written: NewNote,
  { before, diffHeadSha }: { before?: BeforeWrite; diffHeadSha?: string | undefined } = {},
): Promise<CommentResult> {
  requireBody(written.body);
  const source = await readSource(deps, scope.project, noteable, written.position, written.body);
  const draft = { ...written, source };
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

/** Writes a note without its quick actions; null if nothing remains. */
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
 * Changes the text of a note and executes its quick actions. A text of quick actions only deletes the note.
 * @throws ApiError as `changeNote`
 */
export async function updateComment(
  deps: Deps,
  scope: UserScope,
  noteable: Noteable,
  { id, position }: Note,
  body: string,
): Promise<CommentResult> {
  requireBody(body);
  const source = await readSource(deps, scope.project, noteable, position === null ? null : parseJson(position), body);
  const prepared = await prepareNote(deps, scope, noteable, body);
  if (prepared === null)
    return { note: await changeNote(deps, scope, noteable, id, body, source), changes: {}, summary: [] };
  const review = reviewWriter(scope);
  const { note, execution } = await deps.db.transaction().execute(async (db) => {
    const inside = transactionDeps(deps, db);
    const note = await updateRemaining(inside, scope, noteable, id, prepared, source);
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
  source: SuggestionSource | null,
): Promise<Note | null> {
  if (text.trim() !== '') return changeNote(deps, scope, noteable, id, text, source);
  await removeNote(deps, scope, noteable, id);
  return null;
}

/** Writes the notes of a review, with their quick actions. */
export interface ReviewWriter {
  write: WriteInReview;
  /** Runs the work after the transaction of the review. */
  finish(deps: Deps): Promise<void>;
}

/** Creates a writer for the notes of one review, within its transaction. */
export function reviewWriter(scope: UserScope): ReviewWriter {
  let db: Db | null = null;
  let executions: Execution[] = [];
  let left = MAX_COMMANDS;
  const write: WriteInReview = async (deps, noteable, draft, before) => {
    // A retried transaction starts over.
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
