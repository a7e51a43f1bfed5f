import type { AwardEmojiTable } from '../../db/tables/award-emoji.table.ts';
import type { Exporting } from './relation.ts';
import { afterRow, Children } from './relations.children.ts';

export interface Reaction {
  id: number;
  parent: number;
  user_id: number;
  name: string;
  created_at: string;
  updated_at: string;
}

/** Reactions to a page of objects. @param ids ids of the objects */
export const reactionsTo = (
  exporting: Exporting,
  type: AwardEmojiTable['awardable_type'],
  ids: readonly number[],
): Children<Reaction> =>
  new Children(async (after, limit) => {
    const rows = await exporting.db
      .selectFrom('award_emoji')
      .select(['id', 'awardable_id as parent', 'user_id', 'name', 'created_at', 'updated_at'])
      .where('awardable_type', '=', type)
      .where('awardable_id', 'in', ids)
      .where(afterRow('awardable_id', after))
      .orderBy('awardable_id')
      .orderBy('id')
      .limit(limit)
      .execute();
    for (const { user_id } of rows) exporting.names(user_id);
    return rows;
  });

/** The exported objects of reactions. */
export async function* reactionObjects(reactions: AsyncIterable<Reaction>): AsyncGenerator<object> {
  for await (const { user_id, name, created_at, updated_at } of reactions)
    yield { user_id, name, created_at, updated_at };
}
