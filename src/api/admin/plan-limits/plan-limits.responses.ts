import { type Static, Type } from 'typebox';
import { ofLimits } from './plan-limits.inputs.ts';

const LimitChange = Type.Object({
  timestamp: Type.Integer({ description: 'Time of the change, in seconds since 1970.' }),
  user_id: Type.Integer(),
  username: Type.String(),
  value: Type.Integer({ description: 'New value of the limit.' }),
});

/** The limits of a plan (part 2, section 2). */
export const PlanLimits = Type.Object({
  ...ofLimits(Type.Integer()),
  limits_history: Type.Record(Type.String(), Type.Array(LimitChange), {
    description: 'Changes of each limit, by its name, oldest first.',
  }),
});
export type PlanLimits = Static<typeof PlanLimits>;
