import { type TSchema, Type } from 'typebox';
import { BRANCH_FILTERS } from '../../../db/tables/web-hooks.table.ts';
import { Enum, Instant, Nullable, optional } from '../../../http/http.schema.ts';
import { ALL_FLAGS } from './hooks.flags.ts';

const Key = Type.Object({ key: Type.String() });

/** Fields of all hooks, without secrets. */
const base = {
  id: Type.Integer(),
  url: Type.String({ description: 'URL, with URL variables in braces.' }),
  name: Nullable(Type.String()),
  description: Nullable(Type.String()),
  created_at: Instant(),
  enable_ssl_verification: Type.Boolean(),
  alert_status: Enum(['executable', 'temporarily_disabled', 'disabled'], {
    description:
      'Whether the webhook is executed: `executable`, `temporarily_disabled` after repeated failures, for increasing periods, or `disabled` after forty failures until a test succeeds.',
  }),
  disabled_until: Nullable(Instant({ description: 'When a temporarily disabled webhook is executed again.' })),
  push_events_branch_filter: Nullable(Type.String()),
  branch_filter_strategy: Enum(BRANCH_FILTERS),
  custom_webhook_template: Nullable(Type.String()),
  token_present: Type.Boolean({ description: 'Whether a secret token is set.' }),
  signing_token_present: Type.Boolean({ description: 'Whether requests are signed.' }),
};

const keys = {
  url_variables: Type.Array(Key, { description: 'URL variables, without their values.' }),
  custom_headers: Type.Array(Key, { description: 'Custom headers, without their values.' }),
};

const flags = (names: readonly string[]): Record<string, TSchema> =>
  Object.fromEntries(names.map((name) => [name, Type.Boolean()]));

/** A system hook (part 2, section 2, "System hook"). */
export const SystemHook = Type.Object({
  ...base,
  ...keys,
  ...flags(ALL_FLAGS.system),
  organization_id: Type.Integer({ description: 'Always 1: the server has one organization.' }),
});
const ofProject = { project_id: Type.Integer() };
const ofGroup = { group_id: Type.Integer() };

/** A hook of a project; without URL variables and custom headers in lists. */
export const ProjectHook = Type.Object({
  ...base,
  ...flags(ALL_FLAGS.project),
  ...ofProject,
  ...optional(keys).properties,
});
/** A hook of a group. */
export const GroupHook = Type.Object({ ...base, ...flags(ALL_FLAGS.group), ...ofGroup, ...optional(keys).properties });

const texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** A delivery of a hook. */
export const HookLog = Type.Object({
  id: Type.Integer(),
  url: Type.String({ description: 'URL of the webhook; user and password are masked.' }),
  trigger: Type.String({ description: 'Event that triggered the webhook.', examples: ['push_hooks'] }),
  request_headers: texts('Request headers; secrets are replaced by `[REDACTED]`.'),
  request_data: Type.Unknown({ description: 'Request body, without email addresses.' }),
  response_headers: texts('The first 50 response headers.'),
  response_body: Type.String({
    description: 'The first 8 KiB of the response body, or the reason why there was no response.',
  }),
  execution_duration: Type.Number({ description: 'Seconds until the response.' }),
  response_status: Type.String({ description: 'Status code of the response; `internal error` if there was none.' }),
  created_at: Instant(),
});

export const HookResent = Type.Object({
  response_status: Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    description: 'Status code of the response; `internal error` if there was none.',
  }),
});

export const HookTested = Type.Object({ message: Type.String({ examples: ['201 Created'] }) });

/** Sample sent by the test of a system hook. */
export const SystemHookSample = Type.Object({
  event_name: Type.String(),
  name: Type.String(),
  path: Type.String(),
  project_id: Type.Integer(),
  owner_name: Type.String(),
  owner_email: Type.String(),
});
