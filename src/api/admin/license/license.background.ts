import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { recordBillableUsers } from '../../../licence/usage.ts';

const DAILY = jobKind<Record<string, never>>('licences.count-users-daily', { lane: 'slow' });
const NOW = jobKind<Record<string, never>>('licences.count-users', { lane: 'slow' });

/** Registers the counts of billable users: daily, and on request. A missed daily count runs when the server is back. */
export function registerUserCounts(deps: Deps): void {
  deps.jobs.every(DAILY, { dailyAt: '00:05' }, () => recordBillableUsers(deps));
  deps.jobs.register(NOW, () => recordBillableUsers(deps));
}

/** Enqueues a count of billable users for a license. @returns whether the license exists */
export async function refreshCount(deps: Deps, licenseId: number): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const license = await db.selectFrom('licenses').select('id').where('id', '=', licenseId).executeTakeFirst();
    if (license !== undefined) await deps.jobs.enqueue(db, NOW, {}, { uniqueKey: 'server' });
    return license !== undefined;
  });
}
