import { INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { lockInstance } from '../../../db/lock-row.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { type PlanLimits, readLimits, type StoredLimits } from '../../../settings/settings.plan-limits.ts';
import { LIMITS } from './plan-limits.inputs.ts';

/** Maximum length of the history of a limit. */
const REMEMBERED = 100;

/**
 * Changes limits of a plan and records the author (part 2, section 4.4).
 * @param changes the given limits
 * @returns all limits after the change
 */
export async function changeLimits(
  { db: database, clock, recent }: Deps,
  { id, username }: Pick<User, 'id' | 'username'>,
  plan: string,
  changes: Partial<PlanLimits>,
): Promise<StoredLimits> {
  const stored = await database.transaction().execute(async (db) => {
    await lockInstance(db);
    const { limits, history } = await readLimits(db, plan, LIMITS);
    const changed = Object.keys(LIMITS).filter((name) => changes[name] !== undefined && changes[name] !== limits[name]);
    if (changed.length === 0) return { limits, history };
    const before = { ...limits };
    const seconds = Math.floor(clock.now().getTime() / 1_000);
    for (const name of changed) {
      limits[name] = changes[name]!;
      const change = { timestamp: seconds, user_id: id, username, value: limits[name] };
      history[name] = [...(history[name] ?? []), change].slice(-REMEMBERED);
    }
    const columns = {
      limits: JSON.stringify(limits),
      history: JSON.stringify(history),
      updated_at: timestamp(clock),
    };
    await db
      .insertInto('plan_limits')
      .values({ plan, ...columns })
      .onConflict((conflict) => conflict.column('plan').doUpdateSet(columns))
      .execute();
    await recordAudit(
      { clock },
      db,
      changed.map((name) => ({
        name: 'plan_limits_updated',
        entity: INSTANCE,
        target: { id: null, type: 'PlanLimits', details: plan },
        message: `Changed ${name} from ${before[name]} to ${limits[name]}`,
        more: { change: name, from: before[name]!, to: limits[name]! },
      })),
    );
    return { limits, history };
  });
  recent.invalidate();
  return stored;
}
