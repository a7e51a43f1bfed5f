import { type TSchema, Type } from 'typebox';
import { BRANCH_FILTERS } from '../../../db/tables/web-hooks.ts';
import { Enum, Instant, Nullable } from '../../../http/schema.ts';
import { ALL_FLAGS } from './flags.ts';

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
