import { type TSchema, Type } from 'typebox';
import { BRANCH_FILTERS } from '../../../db/tables/web-hooks.table.ts';
import { Enum, Instant, Nullable, optional } from '../../../http/http.schema.ts';
import { ALL_FLAGS } from './hooks.flags.ts';

const Key = Type.Object({ key: Type.String() });

/** What every hook shows; secrets never. */
const base = {
  id: Type.Integer(),
  url: Type.String({ description: 'Address that is called, with names of variables in braces.' }),
  name: Nullable(Type.String()),
  description: Nullable(Type.String()),
  created_at: Instant(),
  enable_ssl_verification: Type.Boolean(),
  alert_status: Enum(['executable', 'temporarily_disabled', 'disabled'], {
    description:
      'Whether it is called. After more than three failures in a row it pauses, for longer each time; after forty it is switched off until a test of it succeeds.',
  }),
  disabled_until: Nullable(Instant({ description: 'When a hook that pauses is called again.' })),
  push_events_branch_filter: Nullable(Type.String()),
  branch_filter_strategy: Enum(BRANCH_FILTERS),
  custom_webhook_template: Nullable(Type.String()),
  token_present: Type.Boolean({ description: 'Whether it has a token.' }),
  signing_token_present: Type.Boolean({ description: 'Whether its calls are signed.' }),
};

const keys = {
  url_variables: Type.Array(Key, { description: 'Variables of the address, without their values.' }),
  custom_headers: Type.Array(Key, { description: 'Headers that are sent beside the others, without their values.' }),
};

const flags = (names: readonly string[]): Record<string, TSchema> =>
  Object.fromEntries(names.map((name) => [name, Type.Boolean()]));

/** A hook of the server (part 2, section 2, "System hook"). */
export const SystemHook = Type.Object({
  ...base,
  ...keys,
  ...flags(ALL_FLAGS.system),
  organization_id: Type.Integer({ description: 'Always 1: the server is one organization.' }),
});
const ofProject = { project_id: Type.Integer() };
const ofGroup = { group_id: Type.Integer() };

/** A hook of a project; lists leave variables and headers out. */
export const ProjectHook = Type.Object({
  ...base,
  ...flags(ALL_FLAGS.project),
  ...ofProject,
  ...optional(keys).properties,
});
/** A hook of a group. */
export const GroupHook = Type.Object({ ...base, ...flags(ALL_FLAGS.group), ...ofGroup, ...optional(keys).properties });

const texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** One call of a hook. */
export const HookLog = Type.Object({
  id: Type.Integer(),
  url: Type.String({ description: 'Address of the hook, with stars in the place of user and password.' }),
  trigger: Type.String({ description: 'What it was called for.', examples: ['push_hooks'] }),
  request_headers: texts('What was sent; secrets are replaced by `[REDACTED]`.'),
  request_data: Type.Unknown({ description: 'What was sent, without e-mail addresses.' }),
  response_headers: texts('The first 50 headers of the answer.'),
  response_body: Type.String({ description: 'The first 8 KiB of the answer; why there was none.' }),
  execution_duration: Type.Number({ description: 'Seconds until the answer.' }),
  response_status: Type.String({ description: 'Status of the answer; `internal error` where there was none.' }),
  created_at: Instant(),
});

export const HookResent = Type.Object({
  response_status: Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    description: 'Status of the answer; `internal error` where there was none.',
  }),
});

export const HookTested = Type.Object({ message: Type.String({ examples: ['201 Created'] }) });

/** What the test of a system hook sends. */
export const SystemHookSample = Type.Object({
  event_name: Type.String(),
  name: Type.String(),
  path: Type.String(),
  project_id: Type.Integer(),
  owner_name: Type.String(),
  owner_email: Type.String(),
});
