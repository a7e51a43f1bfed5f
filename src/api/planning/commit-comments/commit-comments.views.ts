import type { Static } from 'typebox';
import { parseJson } from '../../../db/columns.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic } from '../../identity/index.ts';
import type { CommitNote } from './commit-comments.responses.ts';
import type { DiffPosition } from './diff-position.ts';

const positionOf = (note: Note): DiffPosition | null =>
  note.position === null ? null : parseJson<DiffPosition>(note.position);

/** Presents a comment in the list of comments on a commit. */
export function presentCommitNote(deps: Deps, note: Note, author: User): Static<typeof CommitNote> {
  const position = positionOf(note);
  return {
    note: note.note,
    path: position?.new_path ?? null,
    line: position === null ? null : (position.new_line ?? position.old_line),
    line_type: position === null ? null : position.new_line === null ? 'old' : 'new',
    author: userBasic(deps, author),
    created_at: note.created_at,
  };
}
