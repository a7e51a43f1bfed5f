import { type TObject, type TSchema, Type } from 'typebox';
import { Enum, IntegerEnum, List, Nullable, Secret } from '../../../http/http.schema.ts';
import { FLAG_NAMES, FLAGS, type FlagValues, storedFlag } from '../../../integrations/catalogue/catalogue.flags.ts';
import { INTEGRATION_KINDS, type IntegrationKind } from '../../../integrations/catalogue/catalogue.kinds.ts';
import { FIELDS, type Field } from '../../../integrations/catalogue/fields.ts';
import type { IntegrationChange } from '../../../integrations/integrations.save.ts';
import type { SettingValue } from '../../../integrations/integrations.settings.ts';

const MAX_LENGTH = 65_536;
const MAX_KEYS = 100;

/** Lists the kinds that take a field. */
function takenBy(name: string): string {
  const kinds = INTEGRATION_KINDS.filter(({ fields }) => fields.includes(name)).map(({ slug }) => `\`${slug}\``);
  return kinds.length > 8 ? '' : ` For ${kinds.join(', ')}.`;
}

function schemaOf(name: string, { type, description, secret, values }: Field): TSchema {
  const options = { description: `${description}${takenBy(name)}` };
  if (type === 'boolean') return Type.Boolean(options);
  if (type === 'array') return List(Type.String({ maxLength: 255 }), { ...options, maxItems: MAX_KEYS });
  if (type === 'integer') {
    const numbers = values?.filter((value) => typeof value === 'number');
    return numbers === undefined
      ? Type.Integer({ ...options, minimum: 1, maximum: 65_535 })
      : IntegerEnum(numbers, options);
  }
  const texts = values?.filter((value) => typeof value === 'string');
  if (texts !== undefined) return Enum(texts, options);
  return secret === true
    ? Secret({ ...options, maxLength: MAX_LENGTH })
    : Type.String({ ...options, maxLength: MAX_LENGTH });
}

/** Fields of all kinds; each kind decides which are required. */
export const IntegrationInput: TObject = Type.Object({
  use_inherited_settings: Type.Optional(
    Type.Boolean({
      description: 'Whether to inherit the settings of the group above; other attributes are then ignored.',
    }),
  ),
  ...Object.fromEntries(
    Object.entries(FIELDS).map(([name, field]) => [name, Type.Optional(Nullable(schemaOf(name, field)))]),
  ),
  ...Object.fromEntries(FLAG_NAMES.map((flag) => [flag, Type.Optional(Type.Boolean({ description: FLAGS[flag][0] }))])),
});

export const integrationSlug = Type.Object({
  integration_slug: Type.String({
    description: `Kind of integration: ${INTEGRATION_KINDS.map(({ slug }) => `\`${slug}\``).join(', ')}.`,
    examples: ['slack'],
  }),
});

/** Converts input for an integration to a change; fields that the kind does not take are ignored. */
export function changeOf(kind: IntegrationKind, input: Readonly<Record<string, unknown>>): IntegrationChange {
  const settings: Record<string, SettingValue> = {};
  for (const name of kind.fields) {
    if (input[name] === undefined) continue;
    settings[name] = (input[name] ?? '') as SettingValue;
  }
  if (kind.slug === 'pipelines-email' && input.branches_to_be_notified === undefined) {
    const { notify_only_default_branch: only } = input;
    if (typeof only === 'boolean') settings.branches_to_be_notified = only ? 'default' : 'all';
  }
  const flags: FlagValues = {};
  for (const flag of kind.flags) {
    const value = input[flag];
    if (typeof value === 'boolean') flags[storedFlag(flag)] = value;
  }
  return { settings, flags };
}
