import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Db, Schema } from './db.schema.ts';
import type { NoteableType } from './tables/tables.kinds.ts';

/** Tables with vote counters; each counts the reactions below in columns. */
export const VOTED_ON = { Issue: 'issues', MergeRequest: 'merge_requests', Snippet: 'snippets' } as const;
/** Columns by emoji (part 1, section 4.10). */
const VOTES = { thumbsup: 'upvotes', thumbsdown: 'downvotes' } as const;

/**
 * Subtracts the votes of a user before their reactions are deleted.
 * @param which reactions to be deleted; all if absent
 */
export async function withdrawVotes(
  db: Db,
  userId: number,
  which?: (eb: ExpressionBuilder<Schema, 'award_emoji'>) => Expression<SqlBool>,
): Promise<void> {
  for (const [type, table] of Object.entries(VOTED_ON) as [NoteableType, (typeof VOTED_ON)[NoteableType]][]) {
    for (const [name, column] of Object.entries(VOTES)) {
      const voted = db
        .selectFrom('award_emoji')
        .select('awardable_id')
        .where('user_id', '=', userId)
        .where('name', '=', name)
        .where('awardable_type', '=', type)
        .$if(which !== undefined, (query) => query.where(which!));
      await db
        .updateTable(table)
        .set((eb) => ({ [column]: eb(column, '-', 1) }))
        .where('id', 'in', voted)
        .execute();
    }
  }
}
