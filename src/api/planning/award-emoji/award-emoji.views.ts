import type { Static } from 'typebox';
import type { AwardEmoji as Row } from '../../../db/tables/award-emoji.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic } from '../../identity/index.ts';
import type { AwardEmoji } from './award-emoji.responses.ts';

/** Presents a reaction. */
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
