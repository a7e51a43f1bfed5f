import { type Route, route } from '../../../http/http.route.ts';
import { testHook } from '../../../webhooks/test-hook.ts';
import { findHook } from '../../../webhooks/webhooks.find.ts';
import { ALWAYS, SYSTEM_HEADER } from '../../../webhooks/webhooks.source.ts';
import { hookEndpoints } from './hooks.endpoints.ts';
import { hookId } from './hooks.inputs.ts';
import { logEndpoints } from './hooks.log-endpoints.ts';
import { namedValueEndpoints } from './hooks.named-value-endpoints.ts';
import { IN_GROUPS, IN_PROJECTS, ON_SERVER } from './hooks.places.ts';
import { SystemHookSample } from './hooks.responses.ts';

/** Payload of a test (part 2, section 4.3). */
const SAMPLE = {
  event_name: 'project_create',
  name: 'Ruby',
  path: 'ruby',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'example@gitlabhq.com',
};

const systemTest = route({
  method: 'POST',
  path: `${ON_SERVER.path}/:hook_id`,
  operationId: 'testSystemHook',
  summary: 'Test a system hook',
  description: 'Sends sample data, and returns it regardless of the response of the receiver.',
  access: ON_SERVER.access,
  params: hookId,
  success: { status: 201, schema: SystemHookSample },
  errors: [404],
  expensive: true,
  handler: async (c) => {
    const hook = await findHook(c.deps.db, c.owner, c.params.hook_id);
    await testHook(c.deps, hook, { trigger: ALWAYS, header: SYSTEM_HEADER, payload: SAMPLE });
    return SAMPLE;
  },
});

/** Webhooks of the server (part 2, section 4.3), of projects, and of groups with all their projects. */
export const hookRoutes: readonly Route[] = [
  ...hookEndpoints(ON_SERVER),
  systemTest,
  ...namedValueEndpoints(ON_SERVER),
  ...[IN_PROJECTS, IN_GROUPS].flatMap((place) => [
    ...hookEndpoints(place),
    ...namedValueEndpoints(place),
    ...logEndpoints(place),
  ]),
];
