import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';

/** Emoji reaction (part 1, section 2). */
export const AwardEmoji = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'Name of the emoji, without colons.' }),
  user: UserBasic,
  created_at: Instant(),
  updated_at: Instant(),
  awardable_id: Type.Integer(),
  awardable_type: Type.String({ description: '`Issue`, `MergeRequest`, `Snippet` or `Note`.' }),
  url: Nullable(Type.String({ description: 'Image URL of a custom emoji.' })),
});
