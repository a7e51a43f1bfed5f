import { Type } from 'typebox';
import { Filled, Nullable } from '../../../http/http.schema.ts';
import { PositionInput } from '../discussions/position.ts';
import { Position } from '../notes/notes.responses.ts';
import { MAX_NOTE } from '../notes/notes.writes.ts';

/** A draft note: a comment that only its author sees until it is published. */
export const DraftNote = Type.Object({
  id: Type.Integer(),
  author_id: Type.Integer(),
  merge_request_id: Type.Integer({ description: 'Id of the merge request, not its iid.' }),
  resolve_discussion: Type.Boolean({ description: 'Whether publishing the draft resolves its thread.' }),
  discussion_id: Nullable(Type.String({ description: 'Id of the thread that the draft replies to.' })),
  note: Type.String(),
  commit_id: Nullable(Type.String()),
  line_code: Nullable(Type.String({ description: 'Line code of the commented line.' })),
  position: Type.Object({
    ...Position.properties,
    head_sha: Nullable(Type.String()),
    old_path: Nullable(Type.String()),
    new_path: Nullable(Type.String()),
  }),
});

export const note = Filled({ maxLength: MAX_NOTE, description: 'Text of the comment, Markdown.' });

export const position = Type.Optional(PositionInput);
