import { Type } from 'typebox';
import { invalidParameter, refused } from '../../../core/core.errors.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Enum, List, pagination } from '../../../http/http.schema.ts';
import { type LogFilter, logsOf, resend } from '../../../webhooks/logs.ts';
import { testHook } from '../../../webhooks/test-hook.ts';
import { findHook } from '../../../webhooks/webhooks.find.ts';
import { NO_RESPONSE } from '../../../webhooks/webhooks.send.ts';
import type { ManagedPlace, PlaceOwner } from '../managed-places.ts';
import { sampleEvent } from '../payloads/sample.ts';
import { flagOf, HOOK_TRIGGERS, triggerOf } from './hooks.flags.ts';
import { hookId } from './hooks.inputs.ts';
import type { HookPlace } from './hooks.places.ts';
import { HookLog, HookResent, HookTested } from './hooks.responses.ts';
import { presentLog } from './log-view.ts';

const FIVE_A_MINUTE = { requests: 5, periodSeconds: 60 };
const KINDS = ['successful', 'client_failure', 'server_failure'] as const;
const isKind = (text: string): text is LogFilter['kinds'][number] => (KINDS as readonly string[]).includes(text);

const filters = Type.Object({
  ...pagination,
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 20, default: 20, description: 'Number of items per page; at most 20.' }),
  ),
  status: Type.Optional(
    List(Type.String(), {
      description: 'Status codes such as 200, or `successful`, `client_failure` and `server_failure`.',
      examples: [['client_failure']],
    }),
  ),
});

/** @throws ApiError 400 for an invalid status */
function filterOf(statuses: readonly string[] | undefined): LogFilter | null {
  if (statuses === undefined || statuses.length === 0) return null;
  const codes = statuses.filter((status) => !isKind(status));
  if (codes.some((code) => !/^[1-5]\d\d$/.test(code))) throw invalidParameter('status does not have a valid value');
  return { codes, kinds: statuses.filter(isKind) };
}

/** Limits manual calls of hooks to a few per minute. @throws ApiError 429 */
const limit = ({ deps, caller, owner }: BaseContext & ManagedPlace<PlaceOwner>, action: string): void =>
  deps.limiter.check(action, `${owner.kind}:${owner.id}:${caller.user.id}`, FIVE_A_MINUTE);

/** Routes for the delivery log of webhooks, and for manual calls. */
export function logEndpoints({ kind, path: hooks, noun, access, plan }: HookPlace<PlaceOwner>): readonly Route[] {
  const path = `${hooks}/:hook_id`;
  const flags = HOOK_TRIGGERS[kind].map(flagOf);
  return [
    route({
      method: 'GET',
      path: `${path}/events`,
      summary: `List the events of a ${noun}`,
      description: 'Deliveries of the last seven days, newest first.',
      ...plan,
      access,
      params: hookId,
      input: filters,
      success: { status: 200, schema: Type.Array(HookLog) },
      errors: [404],
      handler: async (c) => {
        const hook = await findHook(c.deps.db, c.owner, c.params.hook_id);
        return c.page(logsOf(c.deps.db, hook, filterOf(c.input.status)), (rows) =>
          rows.map((row) => presentLog(c.deps, row)),
        );
      },
    }),
    route({
      method: 'POST',
      path: `${path}/events/:hook_log_id/resend`,
      summary: `Resend an event of a ${noun}`,
      description: 'With the same payload and `Idempotency-Key`; at most five times a minute.',
      ...plan,
      access,
      params: Type.Object({ ...hookId.properties, hook_log_id: Type.Integer({ description: 'Id of the event.' }) }),
      success: { status: 201, schema: HookResent },
      errors: [404, 422, 429],
      expensive: true,
      handler: async (c) => {
        const hook = await findHook(c.deps.db, c.owner, c.params.hook_id);
        limit(c, 'web_hook_event_resend');
        const { log } = await resend(c.deps, hook, c.params.hook_log_id);
        return { response_status: log.response_status === NO_RESPONSE ? NO_RESPONSE : Number(log.response_status) };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/test/:trigger`,
      summary: `Test a ${noun}`,
      description:
        'Sends a request immediately, with data of the latest object of that kind, even for disabled webhooks; at most five times a minute. 422 if there is no such object, or if the receiver rejects the request.',
      ...plan,
      access,
      params: Type.Object({
        ...hookId.properties,
        trigger: Enum(flags, { description: 'Event to test.', examples: ['push_events'] }),
      }),
      success: { status: 201, schema: HookTested },
      errors: [404, 422, 429],
      expensive: true,
      handler: async (c) => {
        const hook = await findHook(c.deps.db, c.owner, c.params.hook_id);
        limit(c, 'web_hook_test');
        const where = c.owner.kind === 'project' ? { projectId: c.owner.id } : { groupId: c.owner.id };
        const message = await sampleEvent(c.deps, where, triggerOf(kind, c.params.trigger), c.caller.user.id);
        const { log, text } = await testHook(c.deps, hook, message);
        if (/^2\d\d$/.test(log.response_status)) return { message: '201 Created' };
        throw refused(log.response_body.trim() || `The receiver answered with ${text}`, 422);
      },
    }),
  ];
}
