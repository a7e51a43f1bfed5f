import { PLANS, type Plan } from '../config/config.ts';
import { forbidden } from '../core/errors.ts';
import type { Deps } from '../deps.ts';

/** A plan that not every server has. */
export type PaidPlan = Exclude<Plan, 'free'>;

/** The plan that is in force: whatever depends on the plan asks here. */
export const planInForce = ({ config }: Pick<Deps, 'config'>): Plan => config.plan;

/** The plan and those that hold all of it: `premium` -> `Premium or Ultimate`. */
export const planWords = (plan: PaidPlan): string =>
  PLANS.slice(PLANS.indexOf(plan))
    .map((each) => each[0]!.toUpperCase() + each.slice(1))
    .join(' or ');

/** @throws ApiError 403 when the plan in force is a lower one */
export function requirePlan(deps: Pick<Deps, 'config'>, plan: PaidPlan): void {
  const current = planInForce(deps);
  if (PLANS.indexOf(current) >= PLANS.indexOf(plan)) return;
  throw forbidden(`This needs the plan ${planWords(plan)}; the server has the plan ${current}`);
}
