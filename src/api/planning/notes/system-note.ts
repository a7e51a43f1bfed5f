import type { Insertable } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import { newHexId } from '../../../core/predictable-ids.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { NotesTable } from '../../../db/tables/notes.table.ts';
import type { NoteableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';

/** The noteable of a system note. */
export interface NoteTarget {
  type: NoteableType;
  id: number;
  /** Null for personal snippets. */
  projectId: number | null;
}

/** Id of a new discussion. */
export const newDiscussionId = newHexId;

/**
 * Writes a system note about a change of a noteable, in the transaction of the change. Records no event: system notes
 * are not activity.
 * @param action stable name of the change: `opened`, `closed`, `title`, `label`, `assignee`, `commit`, ...
 * @param text text of the platform, for example `changed title from **{-a-}** to **{+b+}**`
 * @returns id of the note
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

/** As `writeSystemNote`, for several noteables, a few hundred at most. */
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
