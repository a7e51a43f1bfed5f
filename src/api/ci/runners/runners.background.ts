import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';

const SWEEP = jobKind<Record<string, never>>('runners.remove-quiet-machines', { lane: 'slow' });
const QUIET_MS = 7 * 86_400_000;
const BATCH = 1_000;

/** Deletes machines of runners without contact for a week; when they return, they are new. */
export function registerRunners(deps: Deps): void {
  deps.jobs.every(SWEEP, { dailyAt: '03:40' }, async (_payload, { signal }) => {
    const { db, clock } = deps;
    const before = new Date(clock.now().getTime() - QUIET_MS).toISOString();
    while (!signal.aborted) {
      const quiet = await db
        .selectFrom('ci_runner_managers')
        .select('id')
        .where('contacted_at', '<', before)
        .limit(BATCH)
        .execute();
      if (quiet.length === 0) return;
      const ids = quiet.map(({ id }) => id);
      await db.deleteFrom('ci_runner_managers').where('id', 'in', ids).where('contacted_at', '<', before).execute();
    }
  });
}
