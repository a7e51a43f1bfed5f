import { type Static, Type } from 'typebox';
import { parseJson } from '../../db/columns.ts';
import type { Note } from '../../db/tables/repositories.ts';
import type { User } from '../../db/tables/users.ts';
import type { Deps } from '../../deps.ts';
import { Instant, Nullable } from '../../http/schema.ts';
import { UserBasic, userBasic } from '../users/basic.ts';
import type { DiffPosition } from './diff-position.ts';

/** A comment on a commit. */
export const CommitNote = Type.Object({
  note: Type.String(),
  path: Nullable(Type.String()),
  line: Nullable(Type.Integer()),
  line_type: Nullable(Type.String({ description: 'new or old.' })),
  author: UserBasic,
  created_at: Instant(),
});

const Position = Type.Object({
  base_sha: Nullable(Type.String()),
  start_sha: Nullable(Type.String()),
  head_sha: Type.String(),
  position_type: Type.String(),
  old_path: Type.String(),
  new_path: Type.String(),
  old_line: Nullable(Type.Integer()),
  new_line: Nullable(Type.Integer()),
});

const DiscussionNote = Type.Object({
  id: Type.Integer(),
  type: Nullable(Type.String({ description: 'DiscussionNote, DiffNote or null.' })),
  body: Type.String(),
  attachment: Nullable(Type.String()),
  author: UserBasic,
  created_at: Instant(),
  updated_at: Instant(),
  system: Type.Boolean(),
  noteable_id: Nullable(Type.Integer()),
  noteable_type: Type.String(),
  noteable_iid: Nullable(Type.Integer()),
  project_id: Nullable(Type.Integer()),
  commit_id: Nullable(Type.String()),
  position: Type.Optional(Position),
  resolvable: Type.Boolean(),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  commands_changes: Type.Object({}),
});

/** Comments that belong together. */
export const Discussion = Type.Object({
  id: Type.String(),
  individual_note: Type.Boolean({ description: 'Whether it is one comment that nobody can reply to.' }),
  notes: Type.Array(DiscussionNote),
});

const positionOf = (note: Note): DiffPosition | null =>
  note.position === null ? null : parseJson<DiffPosition>(note.position);

/** A comment as the list of a commit's comments shows it. */
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

function presentDiscussionNote(deps: Deps, note: Note, author: User): Static<typeof DiscussionNote> {
  const position = positionOf(note);
  return {
    id: note.id,
    type: note.type,
    body: note.note,
    attachment: null,
    author: userBasic(deps, author),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system: note.system === 1,
    noteable_id: note.noteable_id,
    noteable_type: note.noteable_type,
    noteable_iid: null,
    project_id: note.project_id,
    commit_id: note.commit_id,
    ...(position === null ? {} : { position }),
    resolvable: false,
    confidential: note.internal === 1,
    internal: note.internal === 1,
    imported: false,
    imported_from: 'none',
    commands_changes: {},
  };
}

/** The comments of one discussion, in their order. */
export const presentDiscussion = (
  deps: Deps,
  notes: readonly Note[],
  authors: ReadonlyMap<number, User>,
): Static<typeof Discussion> => ({
  id: notes[0]!.discussion_id,
  individual_note: notes[0]!.type === null,
  notes: notes.map((note) => presentDiscussionNote(deps, note, authors.get(note.author_id)!)),
});
