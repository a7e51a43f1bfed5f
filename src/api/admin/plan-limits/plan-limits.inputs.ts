import { Type } from 'typebox';
import { Enum, optional } from '../../../http/http.schema.ts';
import { DEFAULT_PLAN, LIMIT_NAMES, type LimitName } from '../../../settings/settings.plan-limits.ts';

/** Names of plans; only the limits of `default` have an effect. */
export const PLAN_NAMES = [
  DEFAULT_PLAN,
  'free',
  'bronze',
  'silver',
  'premium',
  'gold',
  'ultimate',
  'ultimate_trial',
  'ultimate_trial_paid_customer',
  'premium_trial',
  'opensource',
] as const;

const plan_name = Enum(PLAN_NAMES);
const limit = Type.Integer({ minimum: 0 });
const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, limit])) as Record<LimitName, typeof limit>;

export const PlanFilter = Type.Object({ plan_name: Type.Optional(Enum(PLAN_NAMES, { default: DEFAULT_PLAN })) });
export const ChangedLimits = Type.Object({ plan_name, ...optional(limits).properties });
