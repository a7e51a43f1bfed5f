import { route } from '../../../http/http.route.ts';
import { DEFAULT_PLAN, readLimits, type StoredLimits } from '../../../settings/settings.plan-limits.ts';
import { administrator, onServer } from '../../api.access.ts';
import { ChangedLimits, LIMITS, PlanFilter } from './plan-limits.inputs.ts';
import { PlanLimits } from './plan-limits.responses.ts';
import { changeLimits } from './plan-limits.writes.ts';

const path = '/application/plan_limits';
const present = ({ limits, history }: StoredLimits): PlanLimits => ({ ...limits, limits_history: history });

/** Limits of all projects and groups (part 2, section 4.4). */
export const planLimitsRoutes = [
  route({
    method: 'GET',
    path,
    summary: 'Get the limits of a plan',
    access: administrator,
    input: PlanFilter,
    success: { status: 200, schema: PlanLimits },
    handler: async ({ deps, input }) => present(await readLimits(deps.db, input.plan_name ?? DEFAULT_PLAN, LIMITS)),
  }),
  route({
    method: 'PUT',
    path,
    summary: 'Change the limits of a plan',
    description: 'Limits of `default` take effect immediately; those of other plans are stored and have no effect.',
    access: onServer('admin_settings'),
    input: ChangedLimits,
    success: { status: 200, schema: PlanLimits },
    errors: [400],
    handler: async ({ deps, caller, input: { plan_name, ...changes } }) =>
      present(await changeLimits(deps, caller.user, plan_name, changes)),
  }),
];
