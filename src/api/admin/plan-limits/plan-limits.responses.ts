import { type Static, Type } from 'typebox';
import { LIMIT_NAMES, type LimitName } from '../../../settings/settings.plan-limits.ts';

const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, Type.Integer()])) as Record<
  LimitName,
  ReturnType<typeof Type.Integer>
>;

const LimitChange = Type.Object({
  timestamp: Type.Integer({ description: 'Time of the change, in seconds since 1970.' }),
  user_id: Type.Integer(),
  username: Type.String(),
  value: Type.Integer({ description: 'New value of the limit.' }),
});

/** The limits of a plan (part 2, section 2). */
export const PlanLimits = Type.Object({
  ...limits,
  limits_history: Type.Record(Type.String(), Type.Array(LimitChange), {
    description: 'Changes of each limit, by its name, oldest first.',
  }),
});
export type PlanLimits = Static<typeof PlanLimits>;
