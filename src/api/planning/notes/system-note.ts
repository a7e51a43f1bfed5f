import { randomBytes } from 'node:crypto';
import type { Insertable } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { NotesTable } from '../../../db/tables/notes.table.ts';
import type { NoteableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';

/** What a note is about. */
export interface NoteTarget {
  type: NoteableType;
  id: number;
  /** Null for personal snippets. */
  projectId: number | null;
}

/** Id of a new discussion. */
export const newDiscussionId = (): string => randomBytes(20).toString('hex');

/**
 * Tells in the discussion of something what was done to it, with the handle of the transaction that does it. No event
 * follows: system notes are not activity of their own.
 * @param action stable word for what happened: `opened`, `closed`, `title`, `label`, `assignee`, `commit`, ...
 * @param text as the platform words it, for example `changed title from **{-a-}** to **{+b+}**`
 * @returns the note's id
 */
export async function writeSystemNote(
  deps: Deps,
  db: Db,
  target: NoteTarget,
  authorId: number,
  action: string,
  text: string,
): Promise<number> {
  const { id } = await db
    .insertInto('notes')
    .values(rowOf(deps, target, authorId, action, text))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The same in the discussions of several things, which are few hundreds at most. */
export async function writeSystemNotes(
  deps: Deps,
  db: Db,
  targets: readonly NoteTarget[],
  authorId: number,
  action: string,
  text: string,
): Promise<void> {
  if (targets.length === 0) return;
  const rows = targets.map((target) => rowOf(deps, target, authorId, action, text));
  await db.insertInto('notes').values(rows).execute();
}

function rowOf(deps: Deps, target: NoteTarget, authorId: number, action: string, text: string): Insertable<NotesTable> {
  const now = timestamp(deps.clock);
  return {
    project_id: target.projectId,
    noteable_type: target.type,
    noteable_id: target.id,
    commit_id: null,
    discussion_id: newDiscussionId(),
    type: null,
    author_id: authorId,
    note: text,
    position: null,
    system: 1,
    system_action: action,
    resolved_at: null,
    resolved_by_id: null,
    created_at: now,
    updated_at: now,
  };
}
