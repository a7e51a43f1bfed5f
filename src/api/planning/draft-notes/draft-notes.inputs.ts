import { type Static, Type } from 'typebox';
import { Enum, optional } from '../../../http/http.schema.ts';
import { MAX_NOTE } from '../notes/notes.writes.ts';
import { note, position } from './draft-notes.responses.ts';

export const CreateDraftNote = Type.Object({
  note,
  ...optional({
    in_reply_to_discussion_id: Type.String({ maxLength: 64, description: 'Id of the thread to reply to.' }),
    commit_id: Type.String({ maxLength: 64, description: 'Commit of the merge request to comment on.' }),
    resolve_discussion: Type.Boolean({ description: 'Resolve the thread when the draft is published.' }),
  }).properties,
  position,
});
export type CreateDraftNote = Static<typeof CreateDraftNote>;

export const UpdateDraftNote = Type.Object({ note: Type.Optional(note), position });

export const PublishDraftNotes = optional({
  note: Type.String({ maxLength: MAX_NOTE, description: 'Summary comment that is published with the drafts.' }),
  internal: Type.Boolean({ description: 'Whether only members with at least the Planner role see that comment.' }),
  reviewer_state: Enum(['reviewed', 'requested_changes'], {
    description: 'Review state of the caller, who must be a reviewer.',
  }),
});
export type PublishDraftNotes = Static<typeof PublishDraftNotes>;
