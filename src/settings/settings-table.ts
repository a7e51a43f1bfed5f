import type { Config, Plan } from '../config/config.ts';
import { accessSettings } from './application/access.ts';
import { ciSettings } from './application/ci.ts';
import { codeSettings } from './application/code.ts';
import { fromConfig } from './application/config-defaults.ts';
import type { Setting } from './application/field.ts';
import { limitSettings } from './application/limits.ts';
import { serviceSettings } from './application/services.ts';

/** Every setting that administrators change while the server runs (public documentation, "Application settings API"). */
export const SETTINGS = { ...accessSettings, ...codeSettings, ...ciSettings, ...limitSettings, ...serviceSettings };

export type SettingName = keyof typeof SETTINGS;
export type ApplicationSettings = {
  readonly [K in SettingName]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The declaration of a setting, whatever its values are. */
export const settingOf = (name: SettingName): Setting<unknown> => SETTINGS[name];

const defaults = new WeakMap<Config, ApplicationSettings>();

/** What the settings are until somebody changes them: some follow the environment. Worked out once for each. */
export function defaultSettings(config: Config): ApplicationSettings {
  const known = defaults.get(config);
  if (known !== undefined) return known;
  const declared = SETTING_NAMES.map((name) => [name, settingOf(name).default] as const);
  const settings = { ...Object.fromEntries(declared), ...fromConfig(config) } as ApplicationSettings;
  defaults.set(config, Object.freeze(settings));
  return settings;
}

/** Whether a plan knows of a setting. */
export const isKnownTo = (plan: Plan, setting: Pick<Setting<unknown>, 'plan'>): boolean =>
  setting.plan === undefined || plan === 'ultimate' || plan === setting.plan;
