import { today } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Deps } from '../../../deps.ts';

/** Maximum number of members who are notified at once. */
const MAX_MEMBERS = 1_000;

/**
 * Ids of users who are active direct members of a project or of groups.
 * @param sources the project, or null for groups alone; the groups
 * @param minLevel lowest access level that counts
 */
export async function activeMemberIds(
  { db, clock }: Deps,
  { projectId, groupIds }: { projectId: number | null; groupIds: readonly number[] },
  minLevel = 0,
): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .distinct()
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', 'group'), eb('source_id', 'in', groupIds)]),
        ...(projectId === null ? [] : [eb.and([eb('source_type', '=', 'project'), eb('source_id', '=', projectId)])]),
      ]),
    )
    .where('access_level', '>=', minLevel)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today(clock))]))
    .orderBy('user_id')
    .limit(MAX_MEMBERS)
    .execute();
  return pluck(rows, 'user_id');
}
