import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { LimitChange } from '../db/tables/plan-limits.table.ts';
import type { Deps } from '../deps.ts';

const byName = <T extends object>(limits: T): T => Object.fromEntries(Object.entries(limits).sort()) as T;

/**
 * Default limits of plans (part 2, section 2), in the order of answers. For most, 0 is no limit.
 * @param fileSizes limits of package kinds, by name
 */
export const defaultLimits = (fileSizes: Readonly<Record<string, number>>) => ({
  ci_instance_level_variables: 25,
  ci_pipeline_size: 0,
  ci_active_jobs: 0,
  ci_project_subscriptions: 2,
  ci_pipeline_schedules: 10,
  ci_needs_size_limit: 50,
  ci_registered_group_runners: 1000,
  ci_registered_project_runners: 1000,
  dotenv_size: 5_120,
  dotenv_variables: 20,
  ...byName({ enforcement_limit: 0, notification_limit: 0, ...fileSizes }),
  storage_size_limit: 0,
  pipeline_hierarchy_size: 1000,
  web_hook_calls: 0,
  web_hook_calls_low: 0,
  web_hook_calls_mid: 0,
});
export type PlanLimits = ReturnType<typeof defaultLimits> & Record<string, number>;
const PLAN_LIMITS = defaultLimits({});

/** The plan whose limits apply to an installation, whatever its licence. */
export const DEFAULT_PLAN = 'default';

/** The limits of a plan as stored, with their history. */
export interface StoredLimits {
  limits: PlanLimits;
  history: Record<string, LimitChange[]>;
}

const limitsOf = prepared((db, { plan }: { plan: string }) =>
  db.selectFrom('plan_limits').select(['limits', 'history']).where('plan', '=', plan),
);

/** Reads the limits of a plan. @param defaults those of limits that were not changed */
export async function readLimits(db: Db, plan: string, defaults: PlanLimits = PLAN_LIMITS): Promise<StoredLimits> {
  const [row] = await limitsOf(db, { plan });
  return {
    limits: { ...defaults, ...(row === undefined ? {} : parseJson<Record<string, number>>(row.limits)) },
    history: row === undefined ? {} : parseJson(row.history),
  };
}

/** The limits in force on this installation. */
export const planLimits = ({ db, recent }: Pick<Deps, 'db' | 'recent'>): Promise<PlanLimits> =>
  recent.get('plan_limits', async () => (await readLimits(db, DEFAULT_PLAN)).limits);

/** A limit for comparisons: 0 becomes infinity. */
export const orUnlimited = (limit: number): number => (limit === 0 ? Number.POSITIVE_INFINITY : limit);
