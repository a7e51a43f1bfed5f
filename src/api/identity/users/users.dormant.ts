import { ApiError } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { deactivateUser, MAX_DORMANT_DAYS } from './users.state.ts';

const NIGHTLY = jobKind<Record<string, never>>('users.dormant', { lane: 'slow' });
const DAY_MS = 86_400_000;
/** Days after creation before a user without any activity counts as dormant. */
const NEW_DAYS = 7;
const PAGE = 500;

/** Registers the daily deactivation of dormant users. */
export function registerDormant(deps: Deps): void {
  deps.jobs.every(NIGHTLY, { dailyAt: '01:30' }, (_payload, { signal }) => deactivateDormant(deps, signal));
}

/**
 * Deactivates users without activity in the configured period, and users without any activity, if the settings say so.
 */
export async function deactivateDormant(deps: Deps, signal: AbortSignal): Promise<void> {
  const { deactivate_dormant_users: isEnabled, deactivate_dormant_users_period: days } =
    await applicationSettings(deps);
  if (!isEnabled) return;
  const before = (count: number) => new Date(deps.clock.now().getTime() - count * DAY_MS).toISOString();
  const limits = { seen: before(Math.min(days, MAX_DORMANT_DAYS)).slice(0, 10), made: before(NEW_DAYS) };
  for (let last = 0; ; ) {
    const page = await dormantAfter(deps.db, last, limits);
    for (const user of page) {
      signal.throwIfAborted();
      last = user.id;
      await deactivateUser(deps, user).catch((error: unknown) => {
        // The user is active again, or is the last administrator.
        if (!(error instanceof ApiError)) throw error;
      });
    }
    if (page.length < PAGE) return;
  }
}

const dormantAfter = (db: Db, last: number, limits: { seen: string; made: string }): Promise<User[]> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('id', '>', last)
    .where('state', '=', 'active')
    .where('kind', '=', 'human')
    .where((eb) =>
      eb.or([
        eb('last_activity_on', '<=', limits.seen),
        eb.and([eb('last_activity_on', 'is', null), eb('created_at', '<', limits.made)]),
      ]),
    )
    .orderBy('id')
    .limit(PAGE)
    .execute();
