import { type Static, Type } from 'typebox';
import type { AwardEmoji as Row } from '../../../db/tables/issues.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { Instant, Nullable } from '../../../http/schema.ts';
import { UserBasic, userBasic } from '../../identity/index.ts';

/** Emoji reaction (part 1, section 2). */
export const AwardEmoji = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'Name of the emoji without colons.' }),
  user: UserBasic,
  created_at: Instant(),
  updated_at: Instant(),
  awardable_id: Type.Integer(),
  awardable_type: Type.String({ description: '`Issue`, `MergeRequest`, `Snippet` or `Note`.' }),
  url: Nullable(Type.String({ description: 'Address of the picture of an emoji of the installation.' })),
});

/** The reaction as the API shows it. */
export const presentAward = (deps: Deps, award: Row, user: User): Static<typeof AwardEmoji> => ({
  id: award.id,
  name: award.name,
  user: userBasic(deps, user),
  created_at: award.created_at,
  updated_at: award.updated_at,
  awardable_id: award.awardable_id,
  awardable_type: award.awardable_type,
  url: null,
});
