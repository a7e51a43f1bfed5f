import { type Static, Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { Suggestion } from '../suggestions/suggestions.responses.ts';

/** First or last line of a multi-line note. */
export const RangeEnd = Type.Object({
  line_code: Type.String(),
  type: Nullable(Type.String({ description: '`new`, `old`, or null for an unchanged line.' })),
  old_line: Nullable(Type.Integer()),
  new_line: Nullable(Type.Integer()),
});

/** Position of a note in a diff. Texts have lines, images have sizes and coordinates. */
export const Position = Type.Object({
  base_sha: Nullable(Type.String()),
  start_sha: Nullable(Type.String()),
  head_sha: Type.String(),
  position_type: Type.String({ description: '`text`, `image` or `file`.' }),
  old_path: Type.String(),
  new_path: Type.String(),
  old_line: Type.Optional(Nullable(Type.Integer())),
  new_line: Type.Optional(Nullable(Type.Integer())),
  line_range: Type.Optional(Nullable(Type.Object({ start: RangeEnd, end: RangeEnd }))),
  width: Type.Optional(Nullable(Type.Integer())),
  height: Type.Optional(Nullable(Type.Integer())),
  x: Type.Optional(Nullable(Type.Number())),
  y: Type.Optional(Nullable(Type.Number())),
});
export type Position = Static<typeof Position>;

/** Changes by quick actions, with the platform's names; empty in later responses about the note. */
const CommandsChanges = Type.Record(Type.String(), Type.Unknown());

/** The response to a text of quick actions only, which creates no note. */
export const NoteCommands = Type.Object({
  commands_changes: CommandsChanges,
  summary: Type.Array(Type.String(), {
    description: 'Messages of the executed quick actions.',
    examples: [['Closed this issue.']],
  }),
});

/** A comment or a system note. */
export const Note = Type.Object({
  id: Type.Integer(),
  type: Nullable(Type.String({ description: '`DiscussionNote`, `DiffNote`, or null for a note without thread.' })),
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
  commit_id: Type.Optional(Nullable(Type.String())),
  position: Type.Optional(Position),
  suggestions: Type.Optional(Type.Array(Suggestion)),
  resolvable: Type.Boolean(),
  resolved: Type.Optional(Type.Boolean()),
  resolved_by: Type.Optional(Nullable(UserBasic)),
  resolved_at: Type.Optional(Nullable(Instant())),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  commands_changes: CommandsChanges,
});
export type Note = Static<typeof Note>;

/** A thread of notes. */
export const Discussion = Type.Object({
  id: Type.String(),
  individual_note: Type.Boolean({ description: 'Whether it is a single note instead of a thread.' }),
  notes: Type.Array(Note),
});
