import type { Config, Plan } from '../config/config.ts';
import { accessSettings } from './application/access.settings.ts';
import { ciSettings } from './application/ci.settings.ts';
import { codeSettings } from './application/code.settings.ts';
import { fromConfig } from './application/config-defaults.ts';
import type { KeptSetting, Setting } from './application/field.ts';
import { limitSettings } from './application/limits.settings.ts';
import { serviceSettings } from './application/services.settings.ts';

/** All application settings (public documentation, "Application settings API"). */
export const SETTINGS = { ...accessSettings, ...codeSettings, ...ciSettings, ...limitSettings, ...serviceSettings };

export type SettingName = keyof typeof SETTINGS;

/** The values of all settings, for the endpoint that shows and changes them. */
export type AllSettings = {
  readonly [K in SettingName]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};
type KeptName = { [K in SettingName]: (typeof SETTINGS)[K] extends KeptSetting<infer _> ? K : never }[SettingName];

/** The values of the settings that have an effect. */
export type ApplicationSettings = Omit<AllSettings, KeptName>;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** Whether a setting is stored and shown but has no effect here. */
export const isKeptOnly = (name: SettingName): boolean => 'keptOnly' in SETTINGS[name];

/** The declaration of a setting, with its value type erased. */
export const settingOf = (name: SettingName): Setting<unknown> => SETTINGS[name];

const defaults = new WeakMap<Config, AllSettings>();

/** The default settings, some of which come from the environment. Computed once per configuration. */
export function defaultSettings(config: Config): AllSettings {
  const known = defaults.get(config);
  if (known !== undefined) return known;
  const declared = SETTING_NAMES.map((name) => [name, settingOf(name).default] as const);
  const settings = { ...Object.fromEntries(declared), ...fromConfig(config) } as AllSettings;
  defaults.set(config, Object.freeze(settings));
  return settings;
}

/** Whether a plan has a setting. */
export const isKnownTo = (plan: Plan, setting: Pick<Setting<unknown>, 'plan'>): boolean =>
  setting.plan === undefined || plan === 'ultimate' || plan === setting.plan;
