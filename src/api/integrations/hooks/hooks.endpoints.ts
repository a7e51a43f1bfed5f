import { type TSchema, Type } from 'typebox';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { findHook, hooksOf } from '../../../webhooks/webhooks.find.ts';
import { createHook, removeHook, updateHook } from '../../../webhooks/webhooks.save.ts';
import { hookScopeOf } from './hook-owner.ts';
import { managesHooks } from './hooks.access.ts';
import { FIRST_TRIGGERS } from './hooks.flags.ts';
import { changeOf, hookId, hookInputs } from './hooks.inputs.ts';
import { logEndpoints } from './hooks.log-endpoints.ts';
import { namedValueEndpoints } from './hooks.named-value-endpoints.ts';
import { GroupHook, ProjectHook } from './hooks.responses.ts';
import { presentHook } from './hooks.views.ts';

const ANSWERS: Record<'project' | 'group', TSchema> = { project: ProjectHook, group: GroupHook };

/** Routes shared by webhooks of projects and groups. */
export const hookEndpoints = (kind: 'project' | 'group'): readonly Route[] => [
  ...crudEndpoints(kind),
  ...namedValueEndpoints(kind),
  ...logEndpoints(kind),
];

function crudEndpoints(kind: 'project' | 'group'): readonly Route[] {
  const path = `/${kind}s/:id/hooks`;
  const access = managesHooks(kind);
  const { create, update, names } = hookInputs(kind);
  const schema = ANSWERS[kind];
  const plan = kind === 'group' ? ({ plan: 'premium' } as const) : {};
  return [
    route({
      method: 'GET',
      path,
      summary: `List the webhooks of a ${kind}`,
      ...plan,
      access,
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(schema) },
      handler: (c) =>
        c.page(hooksOf(c.deps.db, c.owner), (rows) => rows.map((row) => presentHook(c.deps, kind, row, false))),
    }),
    route({
      method: 'GET',
      path: `${path}/:hook_id`,
      summary: `Get a webhook of a ${kind}`,
      ...plan,
      access,
      params: hookId,
      success: { status: 200, schema },
      errors: [404],
      handler: async ({ deps, owner: hookOwner, params }) =>
        presentHook(deps, kind, await findHook(deps.db, hookOwner, params.hook_id), true),
    }),
    route({
      method: 'POST',
      path,
      summary: `Create a webhook of a ${kind}`,
      ...(kind === 'group'
        ? { description: 'It is triggered by events in all projects and subgroups of the group.' }
        : {}),
      ...plan,
      access,
      input: create,
      success: { status: 201, schema },
      errors: [422],
      handler: async (c) => {
        const change = { ...changeOf(kind, c.input), url: String(c.input.url) };
        return presentHook(c.deps, kind, await createHook(c.deps, hookScopeOf(c), change, FIRST_TRIGGERS[kind]), true);
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:hook_id`,
      summary: `Update a webhook of a ${kind}`,
      description: 'When the URL changes, the token and custom headers are removed and must be set again.',
      ...plan,
      access,
      params: hookId,
      input: update,
      rules: { atLeastOne: [names] },
      success: { status: 200, schema },
      errors: [404, 422],
      handler: async (c) =>
        presentHook(
          c.deps,
          kind,
          await updateHook(c.deps, hookScopeOf(c), c.params.hook_id, changeOf(kind, c.input)),
          true,
        ),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:hook_id`,
      summary: `Delete a webhook of a ${kind}`,
      description: 'Pending deliveries are dropped, and its log is deleted.',
      ...plan,
      access,
      params: hookId,
      success: { status: 204, empty: true },
      errors: [404],
      handler: (c) => removeHook(c.deps, hookScopeOf(c), c.params.hook_id),
    }),
  ];
}
