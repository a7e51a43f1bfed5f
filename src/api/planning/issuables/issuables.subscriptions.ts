import { timestamp } from '../../../core/clock.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { prepared } from '../../../db/prepared.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';

/** Columns that tell whether a user participates in an issue or merge request. */
interface Row {
  id: number;
  author_id: number;
}

interface Of {
  type: IssuableType;
  ids: readonly number[];
  user: number;
}

const wordsOf = prepared((db, { type, ids, user }: Of) =>
  db
    .selectFrom('subscriptions')
    .select(['subscribable_id', 'subscribed'])
    .where('subscribable_type', '=', type)
    .where('subscribable_id', 'in', ids)
    .where('user_id', '=', user),
);

/** Objects that the user is assigned to, commented on, reacted to or is mentioned in. */
const takers = prepared((db, { type, ids, user }: Of) =>
  db
    .selectFrom('issuable_assignees')
    .select('issuable_id as id')
    .where('issuable_type', '=', type)
    .where('issuable_id', 'in', ids)
    .where('user_id', '=', user)
    .union((eb) =>
      eb
        .selectFrom('notes')
        .select('noteable_id as id')
        .where('noteable_type', '=', type)
        .where('noteable_id', 'in', ids)
        .where('author_id', '=', user)
        .where('system', '=', 0)
        .$narrowType<{ id: number }>(),
    )
    .union((eb) =>
      eb
        .selectFrom('award_emoji')
        .select('awardable_id as id')
        .where('awardable_type', '=', type)
        .where('awardable_id', 'in', ids)
        .where('user_id', '=', user),
    )
    .union((eb) =>
      eb
        .selectFrom('user_mentions')
        .select('target_id as id')
        .where('target_type', '=', type)
        .where('target_id', 'in', ids)
        .where('user_id', '=', user),
    ),
);

/**
 * Ids of the objects that the user is subscribed to: explicitly or, unless unsubscribed, as participant (author,
 * assignee, commenter, by reaction or by mention).
 */
export async function subscribedAmong(
  db: Db,
  type: IssuableType,
  rows: readonly Row[],
  userId: number,
): Promise<Set<number>> {
  if (rows.length === 0) return new Set();
  const ids = rows.map(({ id }) => id);
  const explicit = await wordsOf(db, { type, ids, user: userId });
  const words = new Map(explicit.map(({ subscribable_id, subscribed }) => [subscribable_id, subscribed === 1]));
  const silent = rows.filter(({ id }) => !words.has(id));
  const taking = silent.length === 0 ? new Set<number>() : await takingPart(db, type, silent, userId);
  return new Set(ids.filter((id) => words.get(id) ?? taking.has(id)));
}

async function takingPart(db: Db, type: IssuableType, rows: readonly Row[], userId: number): Promise<Set<number>> {
  const ids = rows.map(({ id }) => id);
  const participated = await takers(db, { type, ids, user: userId });
  const written = rows.filter(({ author_id }) => author_id === userId);
  return new Set([...participated, ...written].map(({ id }) => id));
}

/** Stores an explicit subscription or unsubscription, which overrides participation. */
export async function storeSubscription(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  { type, id, project_id }: { type: IssuableType; id: number; project_id: number },
  userId: number,
  subscribed: boolean,
): Promise<void> {
  const value = bit(subscribed);
  await db
    .insertInto('subscriptions')
    .values({
      subscribable_type: type,
      subscribable_id: id,
      user_id: userId,
      project_id,
      subscribed: value,
      created_at: timestamp(deps.clock),
    })
    .onConflict((conflict) =>
      conflict.columns(['subscribable_type', 'subscribable_id', 'user_id']).doUpdateSet({ subscribed: value }),
    )
    .execute();
}

/** Subscribes a user to an issue or merge request, or unsubscribes them. @returns whether anything changed */
export const setSubscribed = (
  deps: Deps,
  type: IssuableType,
  row: Row & { project_id: number },
  userId: number,
  subscribed: boolean,
): Promise<boolean> =>
  inTransaction(deps.db, async (db) => {
    const now = await subscribedAmong(db, type, [row], userId);
    if (now.has(row.id) === subscribed) return false;
    await storeSubscription(deps, db, { ...row, type }, userId, subscribed);
    return true;
  });
