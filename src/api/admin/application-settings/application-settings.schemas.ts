import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { Enum, Instant, IntegerEnum, List, Nullable, Secret } from '../../../http/http.schema.ts';
import type { Setting } from '../../../settings/application/field.ts';
import { SETTING_NAMES, settingOf } from '../../../settings/settings-table.ts';

const Level = Type.Object({ access_level: Type.Integer() });
const Protection = Type.Object({
  allowed_to_push: Type.Array(Level),
  allow_force_push: Type.Boolean(),
  allowed_to_merge: Type.Array(Level),
  developer_can_initial_push: Type.Boolean(),
});

const BY_KIND: Readonly<
  Record<Setting<unknown>['kind'], (setting: Setting<unknown>, options: Record<string, unknown>) => TSchema>
> = {
  flag: (_, options) => Type.Boolean(options),
  integer: (_, options) => Type.Integer(options),
  number: (_, options) => Type.Number(options),
  decimal: (_, options) => Type.Number(options),
  text: (_, options) => Type.String(options),
  addresses: (_, options) => List(Type.String(), options),
  choice: ({ values = [] }, options) => Enum(values, options),
  secret: (_, options) => Secret(options),
  texts: (_, options) => List(Type.String(), options),
  choices: ({ values = [] }, options) => List(Enum(values), options),
  integers: (_, options) => List(Type.Integer(), options),
  flags: (_, options) => Type.Record(Type.String(), Type.Boolean(), { maxProperties: 100, ...options }),
  weights: (_, options) => Type.Record(Type.String(), Type.Integer(), { maxProperties: 1_000, ...options }),
  branch_protection: (_, options) => Type.Object(Protection.properties, options),
  instant: (_, options) => Instant(options),
  object: (_, options) => Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100, ...options }),
};

/** The value of a setting as responses show it. */
export function shownValue({ kind }: Setting<unknown>, value: unknown): unknown {
  if (kind === 'addresses') return ((value as string | null) ?? '').split(',').flatMap((each) => each.trim() || []);
  if (kind === 'decimal') return Number.isInteger(value) ? (value as number).toFixed(1) : String(value);
  return value;
}

/** Description of a setting, with the bounds of its values. */
function words(setting: Setting<unknown>): string {
  const { description, minimum, maximum, kind, plan } = setting;
  const numbers = kind === 'integer' || kind === 'number' || kind === 'decimal';
  const bounds = numbers && minimum !== undefined && maximum !== undefined ? ` From ${minimum} to ${maximum}.` : '';
  const paid = plan === undefined ? '' : ` ${plan === 'premium' ? 'Premium and Ultimate' : 'Ultimate'} only.`;
  const effect = 'keptOnly' in setting ? ' Kept, has no effect here.' : '';
  return `${description}${bounds}${paid}${effect}`;
}

function schemaOf(name: string, setting: Setting<unknown>, description = words(setting)): TSchema {
  const { kind: of, default: fallback } = setting;
  const examples =
    fallback === null ? {} : { examples: [of === 'addresses' ? shownValue(setting, fallback) : fallback] };
  // The log masks names that end in `_key`, so their schema is that of a secret.
  const kind = setting.kind === 'text' && name.endsWith('_key') ? 'secret' : setting.kind;
  const schema = BY_KIND[kind](setting, { description, ...examples });
  return setting.nullable ? Nullable(schema) : schema;
}

const schemas = new Map(SETTING_NAMES.map((name) => [name as string, schemaOf(name, settingOf(name))]));

const instead = (name: string, example: unknown) => ({ description: `Old name of \`${name}\`.`, examples: [example] });

/** Old names that the platform still accepts, and their current names. */
export const OLD_NAMES = {
  admin_notification_email: 'abuse_notification_email',
  allow_local_requests_from_hooks_and_services: 'allow_local_requests_from_web_hooks_and_services',
  asset_proxy_whitelist: 'asset_proxy_allowlist',
  housekeeping_full_repack_period: 'housekeeping_optimize_repository_period',
  housekeeping_gc_period: 'housekeeping_optimize_repository_period',
  housekeeping_incremental_repack_period: 'housekeeping_optimize_repository_period',
  password_authentication_enabled: 'password_authentication_enabled_for_web',
  performance_bar_allowed_group_id: 'performance_bar_allowed_group_path',
  prevent_merge_request_author_approval: 'prevent_merge_requests_author_approval',
  prevent_merge_request_committers_approval: 'prevent_merge_requests_committers_approval',
  signin_enabled: 'password_authentication_enabled_for_web',
  throttle_unauthenticated_enabled: 'throttle_unauthenticated_web_enabled',
  throttle_unauthenticated_period_in_seconds: 'throttle_unauthenticated_web_period_in_seconds',
  throttle_unauthenticated_requests_per_period: 'throttle_unauthenticated_web_requests_per_period',
} as const satisfies Record<string, (typeof SETTING_NAMES)[number]>;

const old: TProperties = Object.fromEntries(
  Object.entries(OLD_NAMES).map(([name, now]) => [name, schemaOf(now, settingOf(now), `Old name of \`${now}\`.`)]),
);
const protectionNumber = IntegerEnum([0, 1, 2, 3, 4], instead('default_branch_protection_defaults', 2));

/** Response schema of a setting: the parameter schema, except for numbers with decimal places. */
function shownSchema(setting: Setting<unknown>, schema: TSchema): TSchema {
  const examples = [shownValue(setting, setting.default)];
  if (setting.kind === 'addresses') return Type.Array(Type.String(), { description: words(setting), examples });
  return setting.kind === 'decimal' ? Type.String({ description: `${words(setting)} As a string.`, examples }) : schema;
}

/** Settings that only some plans have. */
const shown: TProperties = Object.fromEntries(
  SETTING_NAMES.map((name) => {
    const schema = shownSchema(settingOf(name), schemas.get(name)!);
    return [name, settingOf(name).plan === undefined ? schema : Type.Optional(schema)];
  }),
);

export const Settings = Type.Object({
  id: Type.Integer({ description: 'Always 1.', examples: [1] }),
  created_at: Instant({ description: 'Time when the server was set up.' }),
  updated_at: Instant({ description: 'Time of the last change of a setting.' }),
  ...shown,
  ...Object.fromEntries(
    Object.entries(old).map(([name, schema]) => [name, name.startsWith('prevent_') ? Type.Optional(schema) : schema]),
  ),
  performance_bar_allowed_group_id: Nullable(
    Type.Integer({ description: 'Id of the group that `performance_bar_allowed_group_path` names.' }),
  ),
  performance_bar_enabled: Type.Boolean({ description: 'Whether a group has access to the performance bar.' }),
  default_branch_protection: protectionNumber,
  repository_storages: Type.Array(Type.String(), {
    description: 'Storages for new repositories.',
    examples: [['default']],
  }),
  housekeeping_bitmaps_enabled: Type.Boolean({ description: 'Always true.' }),
});

const takenProtection = Type.Partial(Protection, { description: 'Settings that are not given stay as they are.' });

export const settingsInput = Type.Partial(
  Type.Object({
    ...Object.fromEntries(schemas),
    ...old,
    default_branch_protection_defaults: takenProtection,
    default_branch_protection: protectionNumber,
    performance_bar_enabled: Type.Boolean({
      description: '`false` clears `performance_bar_allowed_group_path`.',
      deprecated: true,
    }),
    repository_storages: List(Type.String(), {
      description: 'Storages for new repositories; all others get weight 0.',
      deprecated: true,
    }),
  }),
);
export type SettingsInput = Static<typeof settingsInput> & Record<string, unknown>;
