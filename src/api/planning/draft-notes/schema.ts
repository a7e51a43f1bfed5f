import { type Static, Type } from 'typebox';
import { parseJson } from '../../../db/columns.ts';
import type { DraftNote as DraftNoteRow } from '../../../db/tables/planning.ts';
import { Enum, Filled, Nullable, optional } from '../../../http/schema.ts';
import { lineCode, PositionInput } from '../discussions/position.ts';
import { Position } from '../notes/entity.ts';
import { MAX_NOTE } from '../notes/write.ts';

/** A comment that only its author sees until he publishes it. */
export const DraftNote = Type.Object({
  id: Type.Integer(),
  author_id: Type.Integer(),
  merge_request_id: Type.Integer({ description: 'Id of the merge request, not its iid.' }),
  resolve_discussion: Type.Boolean({ description: 'Whether publishing it resolves the thread that it answers in.' }),
  discussion_id: Nullable(Type.String({ description: 'The thread that it answers in.' })),
  note: Type.String(),
  commit_id: Nullable(Type.String()),
  line_code: Nullable(Type.String({ description: 'The line that it is about.' })),
  position: Type.Object({
    ...Position.properties,
    head_sha: Nullable(Type.String()),
    old_path: Nullable(Type.String()),
    new_path: Nullable(Type.String()),
  }),
});

const NOWHERE: Static<typeof DraftNote>['position'] = {
  base_sha: null,
  start_sha: null,
  head_sha: null,
  old_path: null,
  new_path: null,
  position_type: 'text',
  old_line: null,
  new_line: null,
  line_range: null,
};

/** A draft as its author sees it. */
export function presentDraft(draft: DraftNoteRow): Static<typeof DraftNote> {
  const position = draft.position === null ? null : parseJson<Static<typeof Position>>(draft.position);
  const onLine = position?.position_type === 'text';
  return {
    id: draft.id,
    author_id: draft.author_id,
    merge_request_id: draft.merge_request_id,
    resolve_discussion: draft.resolve_discussion === 1,
    discussion_id: draft.discussion_id,
    note: draft.note,
    commit_id: draft.commit_id,
    line_code: onLine
      ? lineCode(position.new_path, { old: position.old_line ?? null, new: position.new_line ?? null })
      : null,
    position: position ?? NOWHERE,
  };
}

const note = Filled({ maxLength: MAX_NOTE, description: 'Text of the comment, Markdown.' });
const position = Type.Optional(PositionInput);

export const CreateDraftNote = Type.Object({
  note,
  ...optional({
    in_reply_to_discussion_id: Type.String({ maxLength: 64, description: 'The thread to answer in.' }),
    commit_id: Type.String({ maxLength: 64, description: 'Commit of the merge request that it is about.' }),
    resolve_discussion: Type.Boolean({ description: 'Resolve the thread when it is published.' }),
  }).properties,
  position,
});
export type CreateDraftNote = Static<typeof CreateDraftNote>;

export const UpdateDraftNote = Type.Object({ note: Type.Optional(note), position });

export const PublishDraftNotes = optional({
  note: Type.String({ maxLength: MAX_NOTE, description: 'A comment on the whole, published with the drafts.' }),
  internal: Type.Boolean({ description: 'Whether that comment is for members from Planner on only.' }),
  reviewer_state: Enum(['reviewed', 'requested_changes'], { description: 'What the caller, a reviewer, comes to.' }),
});
export type PublishDraftNotes = Static<typeof PublishDraftNotes>;
