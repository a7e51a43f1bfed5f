import { sql } from 'kysely';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';

/**
 * Query for the participants of an issue or merge request: author (first), assignees, reviewers, and users who comment,
 * react or are mentioned.
 * @param internal whether internal notes count
 */
export function participantsOf(
  db: Db,
  type: IssuableType,
  { id, author_id }: { id: number; author_id: number },
  internal: boolean,
) {
  const shown = internal ? sql`1 = 1` : sql`internal = 0`;
  const ids = sql<number>`(
    select ${author_id} as user_id
    union select user_id from issuable_assignees where issuable_type = ${type} and issuable_id = ${id}
    union select author_id from notes
      where noteable_type = ${type} and noteable_id = ${id} and system = 0 and ${shown}
    union select user_id from award_emoji where awardable_type = ${type} and awardable_id = ${id}
    union select user_id from user_mentions where target_type = ${type} and target_id = ${id}
      and (note_id is null or note_id in (
        select id from notes where noteable_type = ${type} and noteable_id = ${id} and ${shown}))
    union select user_id from merge_request_reviewers
      where ${type} = 'MergeRequest' and merge_request_id = ${id})`;
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy((eb) => eb.case().when('id', '=', author_id).then(0).else(1).end())
    .orderBy('id');
}
