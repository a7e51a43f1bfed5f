import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { LimitChange } from '../db/tables/plan-limits.table.ts';
import type { Deps } from '../deps.ts';

/** Default limits of plans (part 2, section 2). For most, 0 is no limit. */
export const PLAN_LIMITS = {
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
  conan_max_file_size: 3_221_225_472,
  enforcement_limit: 0,
  generic_packages_max_file_size: 5_368_709_120,
  helm_max_file_size: 5_242_880,
  maven_max_file_size: 3_221_225_472,
  notification_limit: 0,
  npm_max_file_size: 524_288_000,
  nuget_max_file_size: 524_288_000,
  pypi_max_file_size: 3_221_225_472,
  terraform_module_max_file_size: 1_073_741_824,
  storage_size_limit: 0,
  pipeline_hierarchy_size: 1000,
  web_hook_calls: 0,
  web_hook_calls_low: 0,
  web_hook_calls_mid: 0,
} as const;
export type LimitName = keyof typeof PLAN_LIMITS;
export type PlanLimits = Record<LimitName, number>;
export const LIMIT_NAMES = Object.keys(PLAN_LIMITS) as LimitName[];

/** The plan whose limits apply to an installation, whatever its licence. */
export const DEFAULT_PLAN = 'default';

/** The limits of a plan as stored, with their history. */
export interface StoredLimits {
  limits: PlanLimits;
  history: Partial<Record<LimitName, LimitChange[]>>;
}

const limitsOf = prepared((db, { plan }: { plan: string }) =>
  db.selectFrom('plan_limits').select(['limits', 'history']).where('plan', '=', plan),
);

/** Reads the limits of a plan. */
export async function readLimits(db: Db, plan: string): Promise<StoredLimits> {
  const [row] = await limitsOf(db, { plan });
  return {
    limits: { ...PLAN_LIMITS, ...(row && parseJson<Partial<PlanLimits>>(row.limits)) },
    history: row === undefined ? {} : parseJson(row.history),
  };
}

/** The limits in force on this installation. */
export const planLimits = ({ db, recent }: Pick<Deps, 'db' | 'recent'>): Promise<PlanLimits> =>
  recent.get('plan_limits', async () => (await readLimits(db, DEFAULT_PLAN)).limits);

/** A limit for comparisons: 0 becomes infinity. */
export const orUnlimited = (limit: number): number => (limit === 0 ? Number.POSITIVE_INFINITY : limit);
