import { Type } from 'typebox';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { inProject } from '../../api.access.ts';
import type { UserScope } from '../../object-access.ts';
import { onIssuable } from './issuables.access.ts';
import { parseDuration } from './issuables.durations.ts';
import type { IssuableKind, IssuableRow } from './issuables.kind.ts';
import { TimeStats } from './issuables.responses.ts';
import { addSpent, resetSpent, setEstimate } from './issuables.times.ts';
import { timeStatsOf } from './issuables.views.ts';

const Duration = Type.String({ maxLength: 100, description: 'Working time, such as `3h30m`, `2d`, `1w` or `1mo`.' });

const invalidEstimate = () =>
  invalidModel({ time_estimate: ['must have a valid format and be greater than or equal to zero.'] });

/** The endpoints of estimates and time spent. */
export function timeRoutes<Row extends IssuableRow>(kind: IssuableKind<Row>): Route[] {
  const path = `/projects/:id/${kind.table}/:${kind.param}`;
  const params = Type.Object({ [kind.param]: Type.Integer() });
  const access = onIssuable(kind, kind.manage);
  const change = ({ deps, caller, row }: UserScope & { deps: Deps; row: Row }) => ({ deps, caller, kind, row });

  return [
    route({
      method: 'GET',
      path: `${path}/time_stats`,
      summary: `Get the time tracking of ${kind.noun}`,
      access: inProject(kind.read, { anonymous: true }),
      params,
      success: { status: 200, schema: TimeStats },
      errors: [404],
      handler: async (c) => timeStatsOf(await kind.find(c.deps, c, c.params[kind.param]!)),
    }),
    route({
      method: 'POST',
      path: `${path}/time_estimate`,
      summary: `Set the time estimate of ${kind.noun}`,
      access,
      input: Type.Object({ duration: Duration }),
      success: { status: 200, schema: TimeStats },
      errors: [404],
      handler: async (c) => {
        const what = change(c);
        const seconds = parseDuration(c.input.duration);
        if (seconds === null || seconds < 0) throw invalidEstimate();
        return timeStatsOf(await setEstimate(what, seconds));
      },
    }),
    route({
      method: 'POST',
      path: `${path}/reset_time_estimate`,
      summary: `Remove the time estimate of ${kind.noun}`,
      access,
      success: { status: 200, schema: TimeStats },
      errors: [404],
      handler: async (c) => timeStatsOf(await setEstimate(change(c), 0)),
    }),
    route({
      method: 'POST',
      path: `${path}/add_spent_time`,
      summary: `Add time spent on ${kind.noun}`,
      description: 'A negative duration subtracts time.',
      access,
      input: Type.Object({ duration: Duration, summary: Type.Optional(Type.String({ maxLength: 255 })) }),
      success: { status: 201, schema: TimeStats },
      errors: [404],
      handler: async (c) => {
        const what = change(c);
        const seconds = parseDuration(c.input.duration);
        if (seconds === null) throw invalidModel({ duration: ['must have a valid format'] });
        return timeStatsOf(await addSpent(what, seconds, c.input.summary ?? null));
      },
    }),
    route({
      method: 'POST',
      path: `${path}/reset_spent_time`,
      summary: `Remove all time spent on ${kind.noun}`,
      access,
      success: { status: 200, schema: TimeStats },
      errors: [404],
      handler: async (c) => timeStatsOf(await resetSpent(change(c))),
    }),
  ];
}
