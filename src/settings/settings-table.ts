import type { Config, Plan } from '../config/config.ts';
import { accessSettings } from './application/access.settings.ts';
import { ciSettings } from './application/ci.settings.ts';
import { codeSettings } from './application/code.settings.ts';
import { fromConfig } from './application/config-defaults.ts';
import type { KeptSetting, Setting } from './application/field.ts';
import { limitSettings } from './application/limits.settings.ts';
import { serviceSettings } from './application/services.settings.ts';

/** Every setting that administrators change while the server runs (public documentation, "Application settings API"). */
export const SETTINGS = { ...accessSettings, ...codeSettings, ...ciSettings, ...limitSettings, ...serviceSettings };

export type SettingName = keyof typeof SETTINGS;

/** The values of all settings, for the endpoint that shows and changes them. */
export type AllSettings = {
  readonly [K in SettingName]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};
type KeptName = { [K in SettingName]: (typeof SETTINGS)[K] extends KeptSetting<infer _> ? K : never }[SettingName];

/** The values of those that something reads. */
export type ApplicationSettings = Omit<AllSettings, KeptName>;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** Whether a setting is kept and shown, and changes nothing here. */
export const isKeptOnly = (name: SettingName): boolean => 'keptOnly' in SETTINGS[name];

/** The declaration of a setting, whatever its values are. */
export const settingOf = (name: SettingName): Setting<unknown> => SETTINGS[name];

const defaults = new WeakMap<Config, AllSettings>();

/** What the settings are until somebody changes them: some follow the environment. Worked out once for each. */
export function defaultSettings(config: Config): AllSettings {
  const known = defaults.get(config);
  if (known !== undefined) return known;
  const declared = SETTING_NAMES.map((name) => [name, settingOf(name).default] as const);
  const settings = { ...Object.fromEntries(declared), ...fromConfig(config) } as AllSettings;
  defaults.set(config, Object.freeze(settings));
  return settings;
}

/** Whether a plan knows of a setting. */
export const isKnownTo = (plan: Plan, setting: Pick<Setting<unknown>, 'plan'>): boolean =>
  setting.plan === undefined || plan === 'ultimate' || plan === setting.plan;
