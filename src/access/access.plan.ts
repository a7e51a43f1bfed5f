import { PLANS, type Plan } from '../config/config.ts';
import { forbidden } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import { effectivePlan } from '../licence/effective-plan.ts';
import type { LicenseDeps } from '../licence/licence.stored.ts';

/** A paid plan. */
export type PaidPlan = Exclude<Plan, 'free'>;

/** Names a plan and the higher ones: `premium` -> `Premium or Ultimate`. */
export const planWords = (plan: PaidPlan): string =>
  PLANS.slice(PLANS.indexOf(plan))
    .map((each) => each[0]!.toUpperCase() + each.slice(1))
    .join(' or ');

/** Whether a plan includes another one. */
export const includesPlan = (current: Plan, plan: Plan): boolean => PLANS.indexOf(current) >= PLANS.indexOf(plan);

/**
 * Requires a plan.
 * @param db the handle of the transaction, if there is one
 * @throws ApiError 403 if the current plan is a lower one
 */
export async function requirePlan(deps: LicenseDeps, plan: PaidPlan, db: Db = deps.db): Promise<void> {
  const current = await effectivePlan(deps, db);
  if (includesPlan(current, plan)) return;
  throw forbidden(`This needs the plan ${planWords(plan)}; the server has the plan ${current}`);
}

/** For code whose behaviour depends on the plan; use `requirePlan` to refuse. */
export { effectivePlan, type Plan };
