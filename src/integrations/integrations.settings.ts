import { parseJson } from '../db/columns.ts';
import type { Integration } from '../db/tables/integrations.table.ts';
import type { Deps } from '../deps.ts';
import type { IntegrationKind } from './catalogue/catalogue.kinds.ts';
import { FIELDS } from './catalogue/fields.ts';

export type SettingValue = string | number | boolean | readonly string[];
/** What was set up of an integration, by name. */
export type Settings = Readonly<Record<string, SettingValue>>;

const PURPOSE = 'integrations.settings';

/** All of it is sealed: addresses and names of users hold secrets, too. */
export const sealSettings = ({ secrets }: Pick<Deps, 'secrets'>, settings: Settings): string =>
  secrets.seal(JSON.stringify(settings), PURPOSE);

/** What was set up; nothing where it cannot be read, as when the key of the installation was lost. */
export function openSettings({ secrets }: Pick<Deps, 'secrets'>, row: Pick<Integration, 'settings'>): Settings {
  const text = secrets.open(row.settings, PURPOSE);
  return text === null ? {} : parseJson<Settings>(text);
}

/** What was set up of it as texts, with what holds where nothing was; empty for what is none. */
export const textOf =
  (settings: Settings) =>
  (name: string): string => {
    const value = settings[name] ?? FIELDS[name]?.fallback;
    return typeof value === 'string' ? value.trim() : '';
  };

/** Whether answers leave it out. */
export const isHidden = (kind: IntegrationKind, name: string): boolean =>
  FIELDS[name]?.secret === true || (kind.hidesChannels && name.endsWith('_channel'));
