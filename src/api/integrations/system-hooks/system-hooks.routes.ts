import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { testHook } from '../../../webhooks/test-hook.ts';
import { findHook, hooksOf } from '../../../webhooks/webhooks.find.ts';
import { createHook, type HookScope, removeHook, updateHook } from '../../../webhooks/webhooks.save.ts';
import { onServer } from '../../api.access.ts';
import { FIRST_TRIGGERS } from '../hooks/hooks.flags.ts';
import { changeOf, hookId, hookInputs } from '../hooks/hooks.inputs.ts';
import { namedValueRoutes } from '../hooks/hooks.named-value-endpoints.ts';
import { SystemHook, SystemHookSample } from '../hooks/hooks.responses.ts';
import { presentHook } from '../hooks/hooks.views.ts';

const PATH = '/hooks';
const access = onServer('admin_system_hooks');
const { create, update, names } = hookInputs('system');

/** Payload of a test (part 2, section 4.3). */
const SAMPLE = {
  event_name: 'project_create',
  name: 'Ruby',
  path: 'ruby',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'example@gitlabhq.com',
};

/** Administrators are checked when the request is authorized. */
const SCOPE: HookScope = { owner: { kind: 'system' }, revalidate: async () => {} };

/** System hooks (part 2, section 4.3). */
export const systemHookRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List system hooks',
    access,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(SystemHook) },
    handler: (c) =>
      c.page(hooksOf(c.deps.db, SCOPE.owner), (rows) => rows.map((row) => presentHook(c.deps, 'system', row, true))),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:hook_id`,
    summary: 'Get a system hook',
    access,
    params: hookId,
    success: { status: 200, schema: SystemHook },
    errors: [404],
    handler: async ({ deps, params }) =>
      presentHook(deps, 'system', await findHook(deps.db, SCOPE.owner, params.hook_id), true),
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a system hook',
    access,
    input: create,
    success: { status: 201, schema: SystemHook },
    errors: [422],
    handler: async ({ deps, input }) => {
      const change = { ...changeOf('system', input), url: String(input.url) };
      return presentHook(deps, 'system', await createHook(deps, SCOPE, change, FIRST_TRIGGERS.system), true);
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:hook_id`,
    summary: 'Update a system hook',
    access,
    params: hookId,
    input: update,
    rules: { atLeastOne: [names] },
    success: { status: 200, schema: SystemHook },
    errors: [404, 422],
    handler: async ({ deps, params, input }) =>
      presentHook(deps, 'system', await updateHook(deps, SCOPE, params.hook_id, changeOf('system', input)), true),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:hook_id`,
    summary: 'Delete a system hook',
    access,
    params: hookId,
    success: { status: 204, empty: true },
    errors: [404],
    handler: ({ deps, params }) => removeHook(deps, SCOPE, params.hook_id),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:hook_id`,
    operationId: 'testSystemHook',
    summary: 'Test a system hook',
    description: 'Sends sample data, and returns it regardless of the response of the receiver.',
    access,
    params: hookId,
    success: { status: 201, schema: SystemHookSample },
    errors: [404],
    expensive: true,
    handler: async ({ deps, params }) => {
      const hook = await findHook(deps.db, SCOPE.owner, params.hook_id);
      await testHook(deps, hook, { trigger: 'always', header: 'System Hook', payload: SAMPLE });
      return SAMPLE;
    },
  }),
  ...namedValueRoutes(PATH, 'system hook', access, () => SCOPE),
];
