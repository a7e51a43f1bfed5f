import { timestamp } from '../../../core/clock.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import { type Ids, prepared } from '../../../db/prepared.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';

const MAX_FOLLOWED = 300;

/** Follower counts of a user. */
export interface FollowFacts {
  followers: number;
  following: number;
  /** Whether the viewer follows the user. */
  isFollowed: boolean;
}

const NOBODY: FollowFacts = { followers: 0, following: 0, isFollowed: false };

const countsBy = (column: 'follower_id' | 'followed_id') =>
  prepared((db, { ids }: Ids) =>
    db
      .selectFrom('user_follows')
      .select(({ fn }) => [`${column} as id` as const, fn.countAll<number>().as('count')])
      .where(column, 'in', ids)
      .groupBy(column),
  );
const counts = { follower_id: countsBy('follower_id'), followed_id: countsBy('followed_id') };

const followedAmong = prepared((db, { viewer, ids }: { viewer: number; ids: readonly number[] }) =>
  db.selectFrom('user_follows').select('followed_id').where('follower_id', '=', viewer).where('followed_id', 'in', ids),
);

async function countBy(db: Db, column: keyof typeof counts, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await counts[column](db, { ids });
  return new Map(rows.map(({ id, count }) => [id, Number(count)]));
}

/** Follower counts of several users by id, in three queries. @param viewerId id of the viewer; null for none */
export async function followFacts(
  db: Db,
  ids: readonly number[],
  viewerId: number | null,
): Promise<(id: number) => FollowFacts> {
  if (ids.length === 0) return () => NOBODY;
  const followers = await countBy(db, 'followed_id', ids);
  const following = await countBy(db, 'follower_id', ids);
  const followed = viewerId === null ? [] : await followedAmong(db, { viewer: viewerId, ids });
  const byViewer = new Set(followed.map(({ followed_id }) => followed_id));
  return (id) => ({
    followers: followers.get(id) ?? 0,
    following: following.get(id) ?? 0,
    isFollowed: byViewer.has(id),
  });
}

/** Follows a user. @returns false if the user was already followed @throws ApiError 400 beyond 300 users */
export async function follow({ db, clock }: Deps, follower: User, followed: User): Promise<boolean> {
  if (follower.id === followed.id) return false;
  return db.transaction().execute(async (db) => {
    await lockRow(db, 'users', follower.id);
    const others = await countBy(db, 'follower_id', [follower.id]);
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('user_follows')
      .values({ follower_id: follower.id, followed_id: followed.id, created_at: timestamp(clock) })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    const isNew = (numInsertedOrUpdatedRows ?? 0n) > 0n;
    if (isNew && (others.get(follower.id) ?? 0) >= MAX_FOLLOWED) {
      throw refused(`You can't follow more than ${MAX_FOLLOWED} users. To follow more users, unfollow some others.`);
    }
    return isNew;
  });
}

/** Unfollows a user. @returns whether the user was followed */
export async function unfollow({ db }: Deps, followerId: number, followedId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('user_follows')
    .where('follower_id', '=', followerId)
    .where('followed_id', '=', followedId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Active followers of a user, or active users whom they follow; newest accounts first. */
export function followsOf(db: Db, userId: number, which: 'followers' | 'following') {
  const [shown, other] = which === 'followers' ? FOLLOWERS : FOLLOWING;
  return db
    .selectFrom('users')
    .selectAll('users')
    .innerJoin('user_follows', `user_follows.${shown}`, 'users.id')
    .where(`user_follows.${other}`, '=', userId)
    .where('users.state', '=', 'active')
    .orderBy('users.id', 'desc');
}
const FOLLOWERS = ['follower_id', 'followed_id'] as const;
const FOLLOWING = ['followed_id', 'follower_id'] as const;
