import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import { type Candidate, candidates } from './candidate.ts';

/** An object that users can subscribe to. */
export interface Subscribable {
  type: IssuableType;
  id: number;
}

/** Users who explicitly subscribed to or unsubscribed from an object. */
export async function subscriptionsOf(
  db: Db,
  { type, id }: Subscribable,
): Promise<{ follow: Candidate[]; not: Set<number> }> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['user_id', 'subscribed'])
    .where('subscribable_type', '=', type)
    .where('subscribable_id', '=', id)
    .execute();
  const ids = (subscribed: 0 | 1) => rows.filter((row) => row.subscribed === subscribed).map(({ user_id }) => user_id);
  return { follow: candidates(ids(1), 'subscription', 'subscribed'), not: new Set(ids(0)) };
}

/** Users who subscribed to any of the labels in the project. */
export async function followersOfLabels(
  db: Db,
  labelIds: readonly number[],
  projectId: number | null,
): Promise<Candidate[]> {
  if (labelIds.length === 0) return [];
  const rows = await db
    .selectFrom('subscriptions')
    .select('user_id')
    .distinct()
    .where('subscribable_type', '=', 'Label')
    .where('subscribable_id', 'in', labelIds)
    .where('subscribed', '=', 1)
    .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]))
    .execute();
  return candidates(pluck(rows, 'user_id'), 'subscription', 'subscribed');
}
