import { sql } from 'kysely';
import type { Caller } from '../../../../access/caller.ts';
import { effectiveMemberships } from '../../../../access/effective-memberships.ts';
import { visibleGroups } from '../../../../access/visible-groups.ts';
import { AccessLevel } from '../../../../core/access-levels.ts';
import { today } from '../../../../core/clock.ts';
import { type FieldErrors, invalidModel } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { asciiLower } from '../../../../db/like.ts';
import type { Deps } from '../../../../deps.ts';
import { MAX_APPROVALS, MAX_NAME } from './approvals.rule-inputs.ts';
import type { StoredRule } from './rule-store.ts';

/** Approvers in a request; absent lists were not given. */
export interface ApproversInput {
  user_ids?: number[];
  usernames?: string[];
  group_ids?: number[];
  remove_hidden_groups?: boolean;
}

/**
 * Validates attributes of a rule.
 * @param minimum minimum number of required approvals
 * @throws ApiError 400 with the errors by field
 */
export function refuseInvalid(input: { name?: string; approvals_required?: number }, minimum = 0): void {
  const errors: FieldErrors = {};
  const { name, approvals_required: required } = input;
  if (name !== undefined && name.trim() === '') errors.name = ["can't be blank"];
  if (name !== undefined && name.length > MAX_NAME) errors.name = [`is too long (maximum is ${MAX_NAME} characters)`];
  if (required !== undefined && required < minimum) {
    errors.approvals_required = [`must be greater than or equal to ${minimum}`];
  }
  if (required !== undefined && required > MAX_APPROVALS) {
    errors.approvals_required = [`must be less than or equal to ${MAX_APPROVALS}`];
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** Whether a request names neither users nor groups. */
export const hasNoApprovers = ({ user_ids, usernames, group_ids }: ApproversInput): boolean =>
  [user_ids, usernames, group_ids].every((list) => list === undefined || list.length === 0);

/**
 * Members of the project among the named users; others are left out, as their approvals would not count.
 * @returns undefined if no users were given
 */
export async function namedUsers(
  deps: Deps,
  projectId: number,
  { user_ids, usernames }: ApproversInput,
): Promise<number[] | undefined> {
  if (user_ids === undefined && usernames === undefined) return undefined;
  const names = [...new Set((usernames ?? []).map(asciiLower))];
  const ids = [...new Set(user_ids ?? [])];
  const rows = await deps.db
    .selectFrom('users')
    .select(['id', 'admin'])
    .where((eb) =>
      eb.or([
        eb('id', 'in', ids.length === 0 ? [0] : ids),
        eb(sql<string>`lower(username)`, 'in', names.length === 0 ? [''] : names),
      ]),
    )
    .where('kind', '!=', 'ghost')
    .orderBy('id')
    .execute();
  const userIds = rows.map(({ id }) => id);
  const standings = (await effectiveMemberships(deps.db, [projectId], userIds, today(deps.clock))).get(projectId)!;
  return rows
    .filter(({ id, admin }) => admin === 1 || (standings.get(id)?.level ?? 0) >= AccessLevel.guest)
    .map(({ id }) => id);
}

/** The groups among the ids that the caller may see. */
export async function visibleGroupsOf(deps: Deps, db: Db, caller: Caller, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const condition = await visibleGroups(deps, caller);
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', [...new Set(ids)])
    .where('kind', '=', 'group')
    .where((eb) => condition(eb))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * The new groups of a rule: given ones that the caller may see, and existing ones that they may not see, unless these
 * are to be removed.
 */
export async function namedGroups(
  deps: Deps,
  caller: Caller,
  { group_ids, remove_hidden_groups = false }: ApproversInput,
  current: Pick<StoredRule, 'groupIds'> = { groupIds: [] },
): Promise<number[] | undefined> {
  if (group_ids === undefined && !remove_hidden_groups) return undefined;
  const seen = await visibleGroupsOf(deps, deps.db, caller, current.groupIds);
  const hidden = remove_hidden_groups ? [] : current.groupIds.filter((id) => !seen.includes(id));
  const named = group_ids === undefined ? seen : await visibleGroupsOf(deps, deps.db, caller, group_ids);
  return [...new Set([...named, ...hidden])].sort((a, b) => a - b);
}
