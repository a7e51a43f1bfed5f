import { Type } from 'typebox';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { onServer } from '../../api.access.ts';
import { inSource, type SourceKind } from '../../spaces/index.ts';
import type { VariableOwner } from './variable-owner.ts';
import {
  changedInstanceVariable,
  changedVariable,
  keyParam,
  listVariables,
  newInstanceVariable,
  newVariable,
  variableFilter,
} from './variables.inputs.ts';
import { findVariable, variablesOf } from './variables.queries.ts';
import { CiVariable, InstanceCiVariable } from './variables.responses.ts';
import { presentInstanceVariable, presentVariable } from './variables.views.ts';
import { createVariable, removeVariable, updateVariable } from './variables.writes.ts';

const MANAGE = { project: 'admin_ci_variables', group: 'admin_group_ci_variables' } as const;
const INSTANCE: VariableOwner = { kind: 'instance', id: null };

function page(c: BaseContext, owner: VariableOwner) {
  return c.page(variablesOf(c.deps.db, owner));
}

function routesFor(kind: SourceKind): Route[] {
  const path = `/${kind}s/:id/variables`;
  const access = inSource(kind, MANAGE);
  const whichOne =
    'If several variables have the key, `filter[environment_scope]` selects one; otherwise the response is 409.';
  return [
    route({
      method: 'GET',
      path,
      summary: `List the CI/CD variables of a ${kind}`,
      access,
      input: listVariables,
      success: { status: 200, schema: Type.Array(CiVariable) },
      handler: async (c) => (await page(c, c.source)).map((row) => presentVariable(c.deps, row)),
    }),
    route({
      method: 'GET',
      path: `${path}/:key`,
      summary: `Get a CI/CD variable of a ${kind}`,
      description: whichOne,
      access,
      params: keyParam,
      input: variableFilter,
      success: { status: 200, schema: CiVariable },
      errors: [409],
      handler: async ({ deps, source, params, input }) =>
        presentVariable(deps, await findVariable(deps.db, source, params.key, input.filter?.environment_scope)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Create a CI/CD variable of a ${kind}`,
      access,
      input: newVariable(kind),
      success: { status: 201, schema: CiVariable },
      handler: async ({ deps, source, input }) => presentVariable(deps, await createVariable(deps, source, input)),
    }),
    route({
      method: 'PUT',
      path: `${path}/:key`,
      summary: `Update a CI/CD variable of a ${kind}`,
      description: whichOne,
      access,
      params: keyParam,
      input: changedVariable(kind),
      success: { status: 200, schema: CiVariable },
      errors: [409],
      handler: async ({ deps, source, params, input: { filter, ...changes } }) =>
        presentVariable(deps, await updateVariable(deps, source, params.key, filter?.environment_scope, changes)),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key`,
      summary: `Delete a CI/CD variable of a ${kind}`,
      description: whichOne,
      access,
      params: keyParam,
      input: variableFilter,
      success: { status: 204, empty: true },
      errors: [409],
      handler: ({ deps, source, params, input }) =>
        removeVariable(deps, source, params.key, input.filter?.environment_scope),
    }),
  ];
}

const admin = onServer('admin_instance_ci_variables');
const instancePath = '/admin/ci/variables';

/** CI/CD variables of projects, groups and the instance. */
export const variableRoutes: readonly Route[] = [
  ...routesFor('project'),
  ...routesFor('group'),
  route({
    method: 'GET',
    path: instancePath,
    summary: 'List the instance CI/CD variables',
    access: admin,
    input: listVariables,
    success: { status: 200, schema: Type.Array(InstanceCiVariable) },
    handler: async (c) => (await page(c, INSTANCE)).map((row) => presentInstanceVariable(c.deps, row)),
  }),
  route({
    method: 'GET',
    path: `${instancePath}/:key`,
    summary: 'Get an instance CI/CD variable',
    access: admin,
    params: keyParam,
    success: { status: 200, schema: InstanceCiVariable },
    handler: async ({ deps, params }) =>
      presentInstanceVariable(deps, await findVariable(deps.db, INSTANCE, params.key)),
  }),
  route({
    method: 'POST',
    path: instancePath,
    summary: 'Create an instance CI/CD variable',
    access: admin,
    input: newInstanceVariable,
    success: { status: 201, schema: InstanceCiVariable },
    handler: async ({ deps, input }) => presentInstanceVariable(deps, await createVariable(deps, INSTANCE, input)),
  }),
  route({
    method: 'PUT',
    path: `${instancePath}/:key`,
    summary: 'Update an instance CI/CD variable',
    access: admin,
    params: keyParam,
    input: changedInstanceVariable,
    success: { status: 200, schema: InstanceCiVariable },
    handler: async ({ deps, params, input }) =>
      presentInstanceVariable(deps, await updateVariable(deps, INSTANCE, params.key, undefined, input)),
  }),
  route({
    method: 'DELETE',
    path: `${instancePath}/:key`,
    summary: 'Delete an instance CI/CD variable',
    access: admin,
    params: keyParam,
    success: { status: 204, empty: true },
    handler: ({ deps, params }) => removeVariable(deps, INSTANCE, params.key),
  }),
];
