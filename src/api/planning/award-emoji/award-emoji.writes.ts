import type { UserCaller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound, recordNotFound } from '../../../core/core.errors.ts';
import { awardFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { AwardEmoji } from '../../../db/tables/award-emoji.table.ts';
import { inTransaction } from '../../../db/transactions.ts';
import { VOTED_ON } from '../../../db/votes.ts';
import type { Deps } from '../../../deps.ts';
import { markTodosDone } from '../todos/todos.record.ts';
import { emojiName } from './award-emoji.names.ts';
import type { Awardable } from './awardable.ts';

/** Query for the reactions to one awardable. */
export const awardsOf = (db: Db, { type, id }: Pick<Awardable, 'type' | 'id'>) =>
  db.selectFrom('award_emoji').selectAll().where('awardable_type', '=', type).where('awardable_id', '=', id);

/** Finds a reaction by its id. @throws ApiError 404 */
export async function findAward(db: Db, awardable: Awardable, id: number): Promise<AwardEmoji> {
  return awardsOf(db, awardable).where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}

/**
 * Locks the awardable's row for the rest of the transaction, and updates its vote counts.
 * @returns whether the row still exists
 */
async function count(db: Db, { type, id }: Awardable, name: string, change: 1 | -1): Promise<boolean> {
  if (type === 'Note') {
    const query = db.updateTable('notes').set((eb) => ({ updated_at: eb.ref('updated_at') }));
    return (await query.where('id', '=', id).executeTakeFirst()).numUpdatedRows > 0n;
  }
  const { numUpdatedRows } = await db
    .updateTable(VOTED_ON[type])
    .set((eb) => ({
      upvotes: eb('upvotes', '+', name === 'thumbsup' ? change : 0),
      downvotes: eb('downvotes', '+', name === 'thumbsdown' ? change : 0),
    }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks to-do items as done: a user who reacts to an issue, merge request or comment on it has dealt with it. */
async function settle(deps: Deps, db: Db, { type, id }: Awardable, userId: number): Promise<void> {
  if (type !== 'Note') {
    await markTodosDone(deps, db, { type, id }, userId);
    return;
  }
  const note = await db
    .selectFrom('notes')
    .select(['noteable_type', 'noteable_id', 'commit_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (note === undefined) return;
  const { noteable_type, noteable_id, commit_id } = note;
  await markTodosDone(deps, db, { type: noteable_type, id: noteable_id, sha: commit_id ?? '' }, userId);
}

/**
 * Reacts to something with an emoji.
 * @param name name or alias, as given by the client
 * @throws ApiError 404 if it is not an emoji, or if the user already reacted with it
 */
export async function award(deps: Deps, { user }: UserCaller, awardable: Awardable, name: string): Promise<AwardEmoji> {
  const known = await emojiName(name);
  if (known === undefined) throw notFound('Award Emoji Name is not a valid emoji name');
  const { type, id, projectId } = awardable;
  const now = timestamp(deps.clock);
  const taken = () => notFound('Award Emoji Name has already been taken');
  return inTransaction(deps.db, async (db) => {
    if (!(await count(db, awardable, known, 1))) throw notFound('Award Emoji');
    const row = await db
      .insertInto('award_emoji')
      .values({
        awardable_type: type,
        awardable_id: id,
        user_id: user.id,
        project_id: projectId,
        name: known,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await settle(deps, db, awardable, user.id);
    const payload = {
      award: awardFacts(row),
      award_id: row.id,
      awardable_type: type,
      awardable_id: id,
      project_id: projectId,
    };
    await deps.events.record(db, 'emoji.awarded', payload, { projectId, actorId: user.id });
    return row;
  }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? taken() : error;
  });
}

/** Deletes a reaction. @throws ApiError 404 if it no longer exists */
export async function revoke(deps: Deps, { user }: UserCaller, awardable: Awardable, award: AwardEmoji): Promise<void> {
  const { type, id, projectId } = awardable;
  await inTransaction(deps.db, async (db) => {
    await count(db, awardable, award.name, -1);
    const { numDeletedRows } = await db.deleteFrom('award_emoji').where('id', '=', award.id).executeTakeFirst();
    // Deleted in the meantime: the rollback undoes the count above.
    if (numDeletedRows === 0n) throw recordNotFound();
    const { name, user_id } = award;
    const payload = { award: awardFacts(award), award_id: award.id, name, user_id, awardable_type: type };
    const about = { projectId, actorId: user.id };
    await deps.events.record(db, 'emoji.revoked', { ...payload, awardable_id: id, project_id: projectId }, about);
  });
}
