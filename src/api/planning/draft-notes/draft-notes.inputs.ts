import { type Static, Type } from 'typebox';
import { Enum, optional } from '../../../http/http.schema.ts';
import { MAX_NOTE } from '../notes/notes.writes.ts';
import { note, position } from './draft-notes.responses.ts';

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
