import type { Expression, SqlBool } from 'kysely';
import { visibleReferences } from '../../access/visible-references.ts';
import { pluck } from '../../core/pluck.ts';
import { parseJson } from '../../db/columns.ts';
import type { Note } from '../../db/tables/notes.table.ts';
import { type Reaction, reactionsTo } from './reactions.relation.ts';
import type { Exporting } from './relation.ts';
import { afterRow, Children, nameUsers } from './relations.children.ts';

type ReadNote = Note & { parent: number; author: string | null; reactions: Reaction[] };

const USERS = ['author_id', 'resolved_by_id', 'updated_by_id'] as const satisfies readonly (keyof Note)[];

/** Query for the exported columns of notes, with the names of their authors. */
export const notesQuery = ({ db, portable }: Exporting) =>
  db
    .selectFrom('notes')
    .leftJoin('users', 'users.id', 'notes.author_id')
    .selectAll('notes')
    .select('users.name as author')
    .where('notes.project_id', '=', portable.id);

/** Adds associations to notes. */
export async function completeNotes(
  exporting: Exporting,
  rows: (Note & { author: string | null })[],
): Promise<ReadNote[]> {
  const reactions = reactionsTo(exporting, 'Note', pluck(rows, 'id'));
  const complete = new Map<number, Reaction[]>();
  for (const { id } of rows.toSorted((a, b) => a.id - b.id)) complete.set(id, await Array.fromAsync(reactions.of(id)));
  return rows.map((row) => {
    nameUsers(exporting, row, USERS);
    return { ...row, parent: row.noteable_id ?? 0, reactions: complete.get(row.id)! };
  });
}

/** Notes on a page of issues, merge requests or snippets that the exporting user may see. @param ids ids of these */
export const notesOn = (
  exporting: Exporting,
  type: Exclude<Note['noteable_type'], 'Commit'>,
  ids: readonly number[],
): Children<ReadNote> => {
  let seen: Expression<SqlBool> | undefined;
  return new Children(async (after, limit) => {
    const { deps, caller } = exporting;
    seen ??= type === 'Snippet' ? undefined : await visibleReferences(deps, caller, type, ids);
    const rows = await notesQuery(exporting)
      .where('noteable_type', '=', type)
      .where('noteable_id', 'in', ids)
      .where(afterRow('noteable_id', after, 'notes.id'))
      .$if(seen !== undefined, (query) => query.where(seen!))
      .orderBy('noteable_id')
      .orderBy('notes.id')
      .limit(limit)
      .execute();
    return completeNotes(exporting, rows);
  });
};

/** The exported object of a note (registry facts 7.1). */
export const noteObject = (row: ReadNote): Record<string, unknown> => ({
  id: row.id,
  note: row.note,
  noteable_type: row.noteable_type,
  author_id: row.author_id,
  author: { name: row.author },
  created_at: row.created_at,
  updated_at: row.updated_at,
  updated_by_id: row.updated_by_id,
  commit_id: row.commit_id,
  system: row.system === 1,
  type: row.type,
  position: row.position === null ? null : parseJson<object>(row.position),
  diff_refs_outdated: row.diff_refs_outdated === 1,
  resolved_at: row.resolved_at,
  resolved_by_id: row.resolved_by_id,
  discussion_id: row.discussion_id,
  confidential: row.internal === 1,
  award_emoji: row.reactions.map(({ user_id, name, created_at, updated_at }) => ({
    user_id,
    name,
    created_at,
    updated_at,
  })),
  ...(row.system_action === null ? {} : { system_note_metadata: { action: row.system_action } }),
});

/** The exported objects of notes. */
export async function* noteObjects(notes: AsyncIterable<ReadNote>): AsyncGenerator<object> {
  for await (const note of notes) yield noteObject(note);
}
