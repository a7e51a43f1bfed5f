import { Type } from 'typebox';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { findHook, hooksOf } from '../../../webhooks/webhooks.find.ts';
import { createHook, removeHook, updateHook } from '../../../webhooks/webhooks.save.ts';
import { DEFAULT_TRIGGERS } from './hooks.flags.ts';
import { changeOf, hookId, hookInputs } from './hooks.inputs.ts';
import type { HookPlace } from './hooks.places.ts';
import { presentHook } from './hooks.views.ts';

/** Routes that list, show and change the webhooks of a place. */
export function hookEndpoints({ kind, path, noun, nouns, access, schema, plan }: HookPlace): readonly Route[] {
  const { create, update, names } = hookInputs(kind);
  const isSystem = kind === 'system';
  const describe = (description: string, applies = !isSystem) => (applies ? { description } : {});
  return [
    route({
      method: 'GET',
      path,
      summary: `List ${nouns}`,
      ...plan,
      access,
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(schema) },
      handler: (c) =>
        c.page(hooksOf(c.deps.db, c.owner), (rows) => rows.map((row) => presentHook(c.deps, kind, row, isSystem))),
    }),
    route({
      method: 'GET',
      path: `${path}/:hook_id`,
      summary: `Get a ${noun}`,
      ...plan,
      access,
      params: hookId,
      success: { status: 200, schema },
      errors: [404],
      handler: async (c) => presentHook(c.deps, kind, await findHook(c.deps.db, c.owner, c.params.hook_id), true),
    }),
    route({
      method: 'POST',
      path,
      summary: `Create a ${noun}`,
      ...describe('It is triggered by events in all projects and subgroups of the group.', kind === 'group'),
      ...plan,
      access,
      input: create,
      success: { status: 201, schema },
      errors: [422],
      handler: async (c) => {
        const change = { ...changeOf(kind, c.input), url: String(c.input.url) };
        return presentHook(c.deps, kind, await createHook(c.deps, c, change, DEFAULT_TRIGGERS[kind]), true);
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:hook_id`,
      summary: `Update a ${noun}`,
      ...describe('When the URL changes, the token and custom headers are removed and must be set again.'),
      ...plan,
      access,
      params: hookId,
      input: update,
      rules: { atLeastOne: [names] },
      success: { status: 200, schema },
      errors: [404, 422],
      handler: async (c) =>
        presentHook(c.deps, kind, await updateHook(c.deps, c, c.params.hook_id, changeOf(kind, c.input)), true),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:hook_id`,
      summary: `Delete a ${noun}`,
      ...describe('Pending deliveries are dropped, and its log is deleted.'),
      ...plan,
      access,
      params: hookId,
      success: { status: 204, empty: true },
      errors: [404],
      handler: (c) => removeHook(c.deps, c, c.params.hook_id),
    }),
  ];
}
