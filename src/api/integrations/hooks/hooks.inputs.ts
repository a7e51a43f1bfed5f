import { type TObject, type TSchema, Type } from 'typebox';
import { BRANCH_FILTERS } from '../../../db/tables/web-hooks.table.ts';
import { Enum, Filled, Nullable, propertiesOf, Secret } from '../../../http/http.schema.ts';
import type { HookChange } from '../../../webhooks/webhooks.save.ts';
import type { HookKind } from '../payloads/types.ts';
import { flagOf, HOOK_TRIGGERS, triggersOfInput } from './hooks.flags.ts';

const ADDRESS = 'URL of the webhook; `{name}` stands for the URL variable of that name.';
const url = Filled({ description: ADDRESS, examples: ['https://ci.example.org/hook'] });

const Named = Type.Object({
  key: Type.String({ description: 'Name of the variable or header.' }),
  value: Secret({ description: 'Value; never returned.' }),
});

/** All attributes except URL and flags. */
const common = {
  name: Type.Optional(Nullable(Type.String())),
  description: Type.Optional(Nullable(Type.String())),
  enable_ssl_verification: Type.Optional(Type.Boolean()),
  push_events_branch_filter: Type.Optional(Nullable(Type.String())),
  branch_filter_strategy: Type.Optional(Enum(BRANCH_FILTERS)),
  custom_webhook_template: Type.Optional(Nullable(Type.String())),
  token: Type.Optional(
    Nullable(
      Secret({
        description: 'Secret token, sent with each request so that the receiver can verify the sender; never returned.',
      }),
    ),
  ),
  signing_token: Type.Optional(
    Nullable(
      Secret({
        description:
          '`whsec_` followed by 32 bytes in Base64. Signs each request according to Standard Webhooks; never returned.',
      }),
    ),
  ),
  url_variables: Type.Optional(Type.Array(Named, { description: 'Values of URL variables, by name.' })),
  custom_headers: Type.Optional(Type.Array(Named, { description: 'Custom headers to send with each request.' })),
};
type Common = Omit<HookChange, 'url' | 'triggers'>;

const flags = (kind: HookKind): Record<string, TSchema> =>
  Object.fromEntries(HOOK_TRIGGERS[kind].map((trigger) => [flagOf(trigger), Type.Optional(Type.Boolean())]));

/** Schemas for creating and updating hooks of a kind. */
export function hookInputs(kind: HookKind): { create: TObject; update: TObject; names: string[] } {
  const rest = { ...common, ...flags(kind) };
  const update: TObject = Type.Object({ url: Type.Optional(url), ...rest });
  return { create: Type.Object({ url, ...rest }), update, names: Object.keys(propertiesOf(update)) };
}

const COMMON = Object.keys(common);

/** Converts input for a hook of a kind to a change. */
export function changeOf(kind: HookKind, input: Readonly<Record<string, unknown>>): HookChange {
  const attributes = Object.fromEntries(
    COMMON.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  );
  const triggers = triggersOfInput(kind, input);
  return {
    ...(attributes as Common),
    ...(typeof input.url === 'string' ? { url: input.url } : {}),
    ...(Object.keys(triggers).length === 0 ? {} : { triggers }),
  };
}

export const hookId = Type.Object({ hook_id: Type.Integer({ description: 'Id of the webhook.' }) });
export const variableKey = Type.Object({
  ...hookId.properties,
  key: Type.String({ description: 'Name of the URL variable.' }),
});
export const headerKey = Type.Object({
  ...hookId.properties,
  key: Type.String({ description: 'Name of the header.' }),
});
export const namedValue = Type.Object({
  value: Secret({ description: 'Value of the URL variable or header; never returned.' }),
});
