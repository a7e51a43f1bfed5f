import { parseJson } from '../db/columns.ts';
import type { Integration } from '../db/tables/integrations.table.ts';
import type { Deps } from '../deps.ts';
import type { IntegrationKind } from './catalogue/catalogue.kinds.ts';
import { FIELDS } from './catalogue/fields.ts';

export type SettingValue = string | number | boolean | readonly string[];
/** Settings of an integration by name. */
export type Settings = Readonly<Record<string, SettingValue>>;

const PURPOSE = 'integrations.settings';

/** Encrypts the settings; all of them, because URLs and user names may contain secrets. */
export const sealSettings = ({ secrets }: Pick<Deps, 'secrets'>, settings: Settings): string =>
  secrets.seal(JSON.stringify(settings), PURPOSE);

/** Decrypts the settings; empty if that fails, for example after the loss of the installation's key. */
export function openSettings({ secrets }: Pick<Deps, 'secrets'>, row: Pick<Integration, 'settings'>): Settings {
  const text = secrets.open(row.settings, PURPOSE);
  return text === null ? {} : parseJson<Settings>(text);
}

/** Access to settings as texts, with defaults; empty for values that are not texts. */
export const textOf =
  (settings: Settings) =>
  (name: string): string => {
    const value = settings[name] ?? FIELDS[name]?.fallback;
    return typeof value === 'string' ? value.trim() : '';
  };

/** Whether responses leave the setting out. */
export const isHidden = (kind: IntegrationKind, name: string): boolean =>
  FIELDS[name]?.secret === true || (kind.hidesChannels && name.endsWith('_channel'));
