import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { inProject } from '../../api.access.ts';
import { changedFlag, FlagName, listFlags, newFlag } from './feature-flags.inputs.ts';
import { findFlag, flagsOf } from './feature-flags.queries.ts';
import { FeatureFlag } from './feature-flags.responses.ts';
import { presentFlag, presentFlags } from './feature-flags.views.ts';
import { createFlag, deleteFlag, updateFlag } from './feature-flags.writes.ts';

const PATH = '/projects/:id/feature_flags';
const ONE = `${PATH}/:feature_flag_name`;
const see = inProject('read_feature_flag');
const manage = inProject('admin_feature_flag');

/** Feature flags of projects (part 1, section 4.8). */
export const featureFlagRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the feature flags of a project',
    access: see,
    input: listFlags,
    success: { status: 200, schema: Type.Array(FeatureFlag) },
    handler: (c) => {
      const active = c.input.scope === undefined ? undefined : c.input.scope === 'enabled';
      return c.page(flagsOf(c.deps.db, c.project.id, active), (rows) =>
        presentFlags(c.deps.db, c.deps.config.dialect, rows),
      );
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a feature flag',
    access: see,
    params: FlagName,
    success: { status: 200, schema: FeatureFlag },
    handler: async ({ deps, project, params }) =>
      presentFlag(deps.db, deps.config.dialect, await findFlag(deps.db, project.id, params.feature_flag_name)),
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a feature flag',
    description: 'A project has at most 200 flags.',
    access: manage,
    input: newFlag,
    success: { status: 201, schema: FeatureFlag },
    handler: ({ deps, caller, project, input }) => createFlag(deps, caller, project.id, input),
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a feature flag',
    description: 'Strategies and scopes that are not given by id are left unchanged.',
    access: manage,
    params: FlagName,
    input: changedFlag,
    success: { status: 200, schema: FeatureFlag },
    handler: ({ deps, caller, project, params, input }) =>
      updateFlag(deps, caller, project.id, params.feature_flag_name, input),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a feature flag',
    description: 'Returns the deleted flag.',
    access: manage,
    params: FlagName,
    success: { status: 200, schema: FeatureFlag },
    errors: [412],
    handler: ({ deps, caller, project, params, request }) =>
      deleteFlag(deps, caller, project.id, params.feature_flag_name, (flag) =>
        checkUnmodifiedSince(request, flag.updated_at),
      ),
  }),
];
