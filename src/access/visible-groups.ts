import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { AccessLevel, type Visibility } from '../core/access-levels.ts';
import { today } from '../core/clock.ts';
import type { Schema } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { groupsAboveProjectsOf, groupsOf } from './access.membership.ts';
import type { Caller } from './caller.ts';

/** A condition on the rows of `namespaces`, for `where`. */
export type GroupCondition = (eb: ExpressionBuilder<Schema, 'namespaces'>) => Expression<SqlBool>;

/** Visibility levels that the caller can see without membership. */
export const openVisibilities = ({ user }: Caller): Visibility[] =>
  user === null || user.external === 1 ? ['public'] : ['public', 'internal'];

/** Condition on the groups that the caller may see: `read_group` holds for each. */
export async function visibleGroups(deps: Deps, caller: Caller): Promise<GroupCondition> {
  if (caller.admin) return (eb) => eb.lit(true);
  const open = openVisibilities(caller);
  if (caller.user === null) return (eb) => eb('visibility', 'in', open);
  const member = await memberGroups(deps, caller.user.id);
  return (eb) => eb.or([eb('visibility', 'in', open), member(eb)]);
}

/**
 * Condition on the groups that the user belongs to: through direct or inherited membership, a share, or a project in
 * the group.
 */
export async function memberGroups(deps: Deps, userId: number): Promise<GroupCondition> {
  const day = today(deps.clock);
  const above = await deps.snapshot.get(`above:${userId}:${day}`, () => groupsAboveProjectsOf(deps.db, userId, day));
  return (eb) => {
    const member = eb('id', 'in', groupsOf(userId, AccessLevel.minimal, day));
    return above.length === 0 ? member : eb.or([member, eb('id', 'in', above)]);
  };
}
