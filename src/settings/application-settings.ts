import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { cachedUntilWrite } from '../db/read-cache.ts';
import type { Deps } from '../deps.ts';
import { effectivePlan } from '../licence/effective-plan.ts';
import {
  type AllSettings,
  type ApplicationSettings,
  defaultSettings,
  isKnownTo,
  SETTINGS,
  type SettingName,
  settingOf,
} from './settings-table.ts';

/** Dependencies for reading the settings. */
export type SettingsDeps = Pick<Deps, 'config' | 'db' | 'snapshot' | 'clock'>;

/** Key of the changed settings in the table of instance values. */
export const SETTINGS_KEY = 'application_settings';
const INSTANCE_KEY = 'instance_id';

/** Settings that were changed from their defaults. */
export type ChangedSettings = Partial<Record<SettingName, unknown>>;

export interface StoredSettings {
  changed: ChangedSettings;
  /** When the installation was created and when its settings were last changed. */
  createdAt: string;
  updatedAt: string;
}

const valuesOf = cachedUntilWrite((db, { keys }: { keys: readonly string[] }) =>
  db.selectFrom('instance_values').select(['key', 'value', 'updated_at']).where('key', 'in', keys),
);

/** The settings last read through a handle, with the versions of their rows. */
const lastRead = new WeakMap<Db, { of: string; stored: StoredSettings }>();

/** Returns the same object as long as the rows are unchanged, so that derived values can be cached with it. */
async function read(db: Db): Promise<StoredSettings> {
  const rows = await valuesOf(db, { keys: [SETTINGS_KEY, INSTANCE_KEY] });
  const row = rows.find(({ key }) => key === SETTINGS_KEY);
  const createdAt = rows.find(({ key }) => key === INSTANCE_KEY)?.updated_at ?? new Date(0).toISOString();
  const of = `${createdAt} ${row?.updated_at} ${row?.value}`;
  const last = lastRead.get(db);
  if (last?.of === of) return last.stored;
  const changed = row === undefined ? {} : parseJson<Record<string, unknown>>(row.value);
  // Another version may have stored settings that this one does not know.
  const known = Object.entries(changed).filter(([name]) => Object.hasOwn(SETTINGS, name));
  const stored = { changed: Object.fromEntries(known), createdAt, updatedAt: row?.updated_at ?? createdAt };
  lastRead.set(db, { of, stored });
  return stored;
}

/** @param db the handle of the transaction, if there is one */
export const storedSettings = (deps: SettingsDeps, db: Db = deps.db): Promise<StoredSettings> =>
  db === deps.db ? deps.snapshot.get(SETTINGS_KEY, () => read(db)) : read(db);

/** Effective settings by the changed settings, which are the same object until the next write. */
const inForce = new WeakMap<ChangedSettings, AllSettings>();

/**
 * The effective settings. Settings above the current plan have their defaults.
 * @param db the handle of the transaction, if there is one
 */
export const applicationSettings: (deps: SettingsDeps, db?: Db) => Promise<ApplicationSettings> = allSettings;

/** The effective settings, including those without effect. */
export async function allSettings(deps: SettingsDeps, db: Db = deps.db): Promise<AllSettings> {
  const { changed } = await storedSettings(deps, db);
  const known = inForce.get(changed);
  if (known !== undefined) return known;
  const allowed = await permitted(deps, db, changed);
  const settings = Object.freeze({ ...defaultSettings(deps.config), ...allowed }) as AllSettings;
  // The plan may change tomorrow, so the result of a plan restriction is not cached.
  if (allowed === changed) inForce.set(changed, settings);
  return settings;
}

async function permitted(deps: SettingsDeps, db: Db, changed: ChangedSettings): Promise<ChangedSettings> {
  const names = Object.keys(changed) as SettingName[];
  if (names.every((name) => settingOf(name).plan === undefined)) return changed;
  const plan = await effectivePlan(deps, db);
  return Object.fromEntries(
    names.filter((name) => isKnownTo(plan, settingOf(name))).map((name) => [name, changed[name]]),
  );
}
