import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';

/** A comment on a commit. */
export const CommitNote = Type.Object({
  note: Type.String(),
  path: Nullable(Type.String()),
  line: Nullable(Type.Integer()),
  line_type: Nullable(Type.String({ description: 'Side of the diff: `new` or `old`.' })),
  author: UserBasic,
  created_at: Instant(),
});
