import { parseJson } from '../../../db/columns.ts';
import type { Deps } from '../../../deps.ts';
import { type FlagValues, flagValue, SHOWN_FLAGS } from '../../../integrations/catalogue/catalogue.flags.ts';
import { type IntegrationKind, kindOf } from '../../../integrations/catalogue/catalogue.kinds.ts';
import { FIELDS } from '../../../integrations/catalogue/fields.ts';
import type { EffectiveIntegration } from '../../../integrations/effective-integrations.ts';
import { isHidden, openSettings } from '../../../integrations/integrations.settings.ts';

/** Renders an integration for lists. */
export function presentEntry({ row, inherited }: EffectiveIntegration) {
  const flags = parseJson<FlagValues>(row.flags);
  return {
    id: row.id,
    title: kindOf(row.slug)?.title ?? row.slug,
    slug: row.slug,
    created_at: row.created_at,
    updated_at: row.updated_at,
    active: row.active === 1,
    ...Object.fromEntries(SHOWN_FLAGS.map((flag) => [flag, flagValue(flags, flag)])),
    inherited,
  };
}

/** Renders an integration with its settings, without secrets. */
export function presentSettings(deps: Deps, kind: IntegrationKind, integration: EffectiveIntegration) {
  const settings = openSettings(deps, integration.row);
  const fallback = (name: string) => (integration.row.active === 1 ? FIELDS[name]?.fallback : undefined);
  const shown = kind.fields.filter((name) => !isHidden(kind, name));
  return {
    ...presentEntry(integration),
    properties: Object.fromEntries(
      shown.map((name) => [name, settings[name] === '' ? null : (settings[name] ?? fallback(name) ?? null)]),
    ),
  };
}
