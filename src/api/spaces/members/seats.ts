import { planInForce } from '../../../access/plan.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';

/**
 * Level above which a member uses a seat: on the highest plan guests are free; on the others every member counts.
 * @returns the level itself is free
 */
export const freeLevel = (deps: Deps): number =>
  planInForce(deps) === 'ultimate' ? AccessLevel.guest : AccessLevel.none;

/** Which of the users take a seat: active people with a membership above the free level anywhere. */
export async function seatUsers(deps: Deps, userIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (userIds.length === 0) return new Set();
  const day = today(deps.clock);
  const rows = await deps.db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.id')
    .distinct()
    .where('users.id', 'in', userIds)
    .where('users.kind', '=', 'human')
    .where('users.state', '=', 'active')
    .where('members.access_level', '>', freeLevel(deps))
    .where('members.state', '=', 'active')
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', day)]))
    .execute();
  return new Set(rows.map(({ id }) => id));
}
