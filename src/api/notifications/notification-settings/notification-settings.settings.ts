import { timestamp } from '../../../core/clock.ts';
import { invalidModel, refused } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { NotificationSettingsTable } from '../../../db/tables/notification-settings.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { EVENT_NAMES } from './notification-settings.inputs.ts';
import {
  type CustomEvent,
  DEFAULT_LEVELS,
  levelOf,
  NOTIFICATION_LEVELS,
  type NotificationLevel,
  ON_BY_DEFAULT,
  PREMIUM_EVENTS,
} from './notification-settings.levels.ts';

/** Scope of a setting: global (the user's own id), a group, or a project. */
export interface SettingOwner {
  type: NotificationSettingsTable['source_type'];
  id: number;
}

interface Setting {
  level: NotificationLevel;
  events: Partial<Record<CustomEvent, boolean>>;
}

/** A requested change. */
export interface SettingChange extends Partial<Record<CustomEvent, boolean>> {
  level?: string;
}

const find = (db: Db, userId: number, { type, id }: SettingOwner) =>
  db
    .selectFrom('notification_settings')
    .select(['level', 'events'])
    .where('user_id', '=', userId)
    .where('source_type', '=', type)
    .where('source_id', '=', id)
    .executeTakeFirst();

/** The setting of a user in a scope, or the default. */
export async function settingIn(db: Db, userId: number, owner: SettingOwner): Promise<Setting> {
  const row = await find(db, userId, owner);
  if (row === undefined) return { level: DEFAULT_LEVELS[owner.type], events: {} };
  return { level: levelOf(row.level), events: parseJson<Setting['events']>(row.events) };
}

/**
 * Changes the setting of a user in a scope; absent values stay as they are.
 * @param email e-mail address, for the global setting
 * @throws ApiError 400 for an unknown level, or an address that is not a confirmed one of the user
 */
export async function changeSetting(
  { db: database, clock }: Deps,
  userId: number,
  owner: SettingOwner,
  { level, ...flags }: SettingChange,
  email?: string,
): Promise<Setting> {
  if (level !== undefined && !Object.hasOwn(NOTIFICATION_LEVELS, level)) {
    throw refused(`'${level}' is not a valid level`);
  }
  return database.transaction().execute(async (db) => {
    await lockRow(db, 'users', userId);
    if (email !== undefined) await setAddress(db, userId, email);
    const before = await settingIn(db, userId, owner);
    const setting: Setting = {
      level: (level as NotificationLevel | undefined) ?? before.level,
      events: { ...before.events, ...pickEvents(flags) },
    };
    const now = timestamp(clock);
    const columns = {
      level: NOTIFICATION_LEVELS[setting.level],
      events: JSON.stringify(setting.events),
      updated_at: now,
    };
    await db
      .insertInto('notification_settings')
      .values({ user_id: userId, source_type: owner.type, source_id: owner.id, created_at: now, ...columns })
      .onConflict((conflict) => conflict.columns(['user_id', 'source_type', 'source_id']).doUpdateSet(columns))
      .execute();
    if (owner.type !== 'user') await showInMembership(db, userId, { type: owner.type, id: owner.id }, columns.level);
    return setting;
  });
}

const pickEvents = (flags: SettingChange): Setting['events'] =>
  Object.fromEntries(EVENT_NAMES.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]] as const])));

/** Copies the level to the membership, which shows it. */
const showInMembership = (
  db: Db,
  userId: number,
  { type, id }: { type: 'group' | 'project'; id: number },
  level: number,
) =>
  db
    .updateTable('members')
    .set({ notification_level: level })
    .where('source_type', '=', type)
    .where('source_id', '=', id)
    .where('user_id', '=', userId)
    .execute();

async function setAddress(db: Db, userId: number, email: string): Promise<void> {
  const user = await db.selectFrom('users').select(['email']).where('id', '=', userId).executeTakeFirstOrThrow();
  const same = (other: string) => asciiLower(other) === asciiLower(email);
  const further = await db
    .selectFrom('emails')
    .select('email')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .execute();
  const own = [user.email, ...further.map((row) => row.email)].find(same);
  if (own === undefined) throw invalidModel({ notification_email: ['must be an email you have verified'] });
  await db
    .updateTable('users')
    .set({ notification_email: same(user.email) ? null : own })
    .where('id', '=', userId)
    .execute();
}

/** E-mail address for mails to a user. */
export const notificationEmail = ({ email, notification_email }: Pick<User, 'email' | 'notification_email'>): string =>
  notification_email ?? email;

/** Presents a setting; with events only for the level `custom`. */
export function presentSetting({ level, events }: Setting, premium: boolean) {
  if (level !== 'custom') return { level };
  const names = premium ? EVENT_NAMES : EVENT_NAMES.filter((name) => !Object.hasOwn(PREMIUM_EVENTS, name));
  const shown = names.map((name) => [name, events[name] ?? (ON_BY_DEFAULT.includes(name) ? true : null)] as const);
  return { level, events: Object.fromEntries(shown) };
}
