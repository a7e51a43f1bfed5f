import type { Static } from 'typebox';
import { parseJson } from '../../../db/columns.ts';
import type { DraftNote as DraftNoteRow } from '../../../db/tables/draft-notes.table.ts';
import { lineCode } from '../discussions/position.ts';
import type { Position } from '../notes/notes.responses.ts';
import type { DraftNote } from './draft-notes.responses.ts';

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

/** Presents a draft to its author. */
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
