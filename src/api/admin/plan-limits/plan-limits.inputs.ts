import { Type } from 'typebox';
import { Enum, optional } from '../../../http/http.schema.ts';
import { DEFAULT_PLAN, defaultLimits } from '../../../settings/settings.plan-limits.ts';
import { fileSizeLimits } from '../../packages/index.ts';

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

/** Default values of all limits, with those of package kinds. */
export const LIMITS = defaultLimits(Object.fromEntries(fileSizeLimits.map(({ name, bytes }) => [name, bytes])));
const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

/** An object with a property for each limit. */
export const ofLimits = <T>(schema: T) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<keyof typeof LIMITS, T>;

const plan_name = Enum(PLAN_NAMES);
const limits = ofLimits(Type.Integer({ minimum: 0 }));

export const PlanFilter = Type.Object({ plan_name: Type.Optional(Enum(PLAN_NAMES, { default: DEFAULT_PLAN })) });
export const ChangedLimits = Type.Object({ plan_name, ...optional(limits).properties });
