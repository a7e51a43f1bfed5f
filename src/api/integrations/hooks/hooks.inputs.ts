import { type TObject, type TSchema, Type } from 'typebox';
import { BRANCH_FILTERS } from '../../../db/tables/web-hooks.table.ts';
import { Enum, Filled, Nullable, propertiesOf, Secret } from '../../../http/http.schema.ts';
import type { HookChange } from '../../../webhooks/webhooks.save.ts';
import { flagOf, HOOK_TRIGGERS, type HookKind, triggersOfInput } from './hooks.flags.ts';

const ADDRESS = 'Address that is called; `{name}` stands for the variable of that name.';
const url = Filled({ description: ADDRESS, examples: ['https://ci.example.org/hook'] });

const Named = Type.Object({
  key: Type.String({ description: 'Its name.' }),
  value: Secret({ description: 'Never shown.' }),
});

/** All but the address and the flags. */
const common = {
  name: Type.Optional(Nullable(Type.String())),
  description: Type.Optional(Nullable(Type.String())),
  enable_ssl_verification: Type.Optional(Type.Boolean()),
  push_events_branch_filter: Type.Optional(Nullable(Type.String())),
  branch_filter_strategy: Type.Optional(Enum(BRANCH_FILTERS)),
  custom_webhook_template: Type.Optional(Nullable(Type.String())),
  token: Type.Optional(
    Nullable(
      Secret({ description: 'Sent with each call, so that the receiver knows whom it comes from; never shown.' }),
    ),
  ),
  signing_token: Type.Optional(
    Nullable(
      Secret({
        description:
          '`whsec_` and 32 bytes in base64: each call is signed with it as Standard Webhooks has it; never shown.',
      }),
    ),
  ),
  url_variables: Type.Optional(Type.Array(Named, { description: 'Values of variables in the address, by name.' })),
  custom_headers: Type.Optional(Type.Array(Named, { description: 'Headers that are sent beside the others.' })),
};
type Common = Omit<HookChange, 'url' | 'triggers'>;

const flags = (kind: HookKind): Record<string, TSchema> =>
  Object.fromEntries(HOOK_TRIGGERS[kind].map((trigger) => [flagOf(trigger), Type.Optional(Type.Boolean())]));

/** What makes a hook of a kind, and what changes one. */
export function hookInputs(kind: HookKind): { create: TObject; update: TObject; names: string[] } {
  const rest = { ...common, ...flags(kind) };
  const update: TObject = Type.Object({ url: Type.Optional(url), ...rest });
  return { create: Type.Object({ url, ...rest }), update, names: Object.keys(propertiesOf(update)) };
}

const COMMON = Object.keys(common);

/** What is asked for of a hook of a kind. */
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
  key: Type.String({ description: 'Name of the variable.' }),
});
export const headerKey = Type.Object({
  ...hookId.properties,
  key: Type.String({ description: 'Name of the header.' }),
});
export const namedValue = Type.Object({ value: Secret({ description: 'Its value, which is never shown.' }) });
