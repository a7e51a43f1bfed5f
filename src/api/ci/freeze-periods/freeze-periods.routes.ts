import { type Static, Type } from 'typebox';
import type { FreezePeriod as Row } from '../../../db/tables/freeze-periods.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { inProject } from '../../api.access.ts';
import { changedFreezePeriod, FreezePeriodId, listFreezePeriods, newFreezePeriod } from './freeze-periods.inputs.ts';
import { FreezePeriod } from './freeze-periods.responses.ts';
import {
  createFreezePeriod,
  findFreezePeriod,
  freezePeriodsOf,
  removeFreezePeriod,
  updateFreezePeriod,
} from './freeze-periods.writes.ts';

const PATH = '/projects/:id/freeze_periods';
const ONE = `${PATH}/:freeze_period_id`;
const see = inProject('read_freeze_period');
const manage = inProject('admin_freeze_periods');

const present = ({ project_id: _, ...shown }: Row): Static<typeof FreezePeriod> => shown;

/** Periods in which a project should not be deployed; jobs see them as `CI_DEPLOY_FREEZE`. */
export const freezePeriodRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the freeze periods of a project',
    access: see,
    input: listFreezePeriods,
    success: { status: 200, schema: Type.Array(FreezePeriod) },
    handler: (c) => c.page(freezePeriodsOf(c.deps.db, c.project.id), (rows) => rows.map(present)),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a freeze period',
    access: see,
    params: FreezePeriodId,
    success: { status: 200, schema: FreezePeriod },
    handler: async ({ deps, project, params }) =>
      present(await findFreezePeriod(deps.db, project.id, params.freeze_period_id)),
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a freeze period',
    access: manage,
    input: newFreezePeriod,
    success: { status: 201, schema: FreezePeriod },
    handler: async ({ deps, project, input }) => present(await createFreezePeriod(deps, project.id, input)),
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a freeze period',
    access: manage,
    params: FreezePeriodId,
    input: changedFreezePeriod,
    success: { status: 200, schema: FreezePeriod },
    handler: async ({ deps, project, params, input }) =>
      present(await updateFreezePeriod(deps, project.id, params.freeze_period_id, input)),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a freeze period',
    access: manage,
    params: FreezePeriodId,
    success: { status: 204, empty: true },
    errors: [412],
    handler: ({ deps, project, params, request }) =>
      removeFreezePeriod(deps, project.id, params.freeze_period_id, ({ updated_at }) =>
        checkUnmodifiedSince(request, updated_at),
      ),
  }),
];
