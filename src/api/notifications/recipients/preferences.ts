import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { DEFAULT_LEVELS, levelOf } from '../notification-settings/notification-settings.levels.ts';
import type { ProjectContext } from './project-context.ts';
import type { NotificationPreference } from './recipients.preference-rules.ts';

/** Maximum number of users per query. */
export const BATCH = 500;

/** Preference of a user for a project, with the e-mail address for its mails. */
export interface ProjectPreference extends NotificationPreference {
  email: string | null;
}

const EVERYWHERE: ProjectPreference = { level: DEFAULT_LEVELS.user, events: {}, email: null };

/**
 * Preferences of users for a project: the setting of the project, else of the nearest group with one, else the global
 * one. One statement per 500 users.
 */
export async function preferencesIn(
  db: Db,
  place: ProjectContext,
  userIds: readonly number[],
): Promise<Map<number, ProjectPreference>> {
  const preferences = new Map<number, ProjectPreference>();
  for (let at = 0; at < userIds.length; at += BATCH) {
    const some = userIds.slice(at, at + BATCH);
    const rows = await settingsOf(db, place, some);
    for (const userId of some) preferences.set(userId, resolve(place, rows.get(userId) ?? []));
  }
  return preferences;
}

type Row = Awaited<ReturnType<typeof readRows>>[number];

async function settingsOf(db: Db, place: ProjectContext, userIds: readonly number[]): Promise<Map<number, Row[]>> {
  const byUser = new Map<number, Row[]>();
  for (const row of await readRows(db, place, userIds)) {
    byUser.set(row.user_id, [...(byUser.get(row.user_id) ?? []), row]);
  }
  return byUser;
}

const readRows = (db: Db, { project, groupIds }: ProjectContext, userIds: readonly number[]) =>
  db
    .selectFrom('notification_settings')
    .select(['user_id', 'source_type', 'source_id', 'level', 'events', 'notification_email'])
    .where('user_id', 'in', userIds)
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', 'project'), eb('source_id', '=', project.id)]),
        eb.and([eb('source_type', '=', 'group'), eb('source_id', 'in', groupIds)]),
        eb.and([eb('source_type', '=', 'user'), eb('source_id', '=', eb.ref('user_id'))]),
      ]),
    )
    .execute();

function resolve({ groupIds }: ProjectContext, rows: readonly Row[]): ProjectPreference {
  const of = (type: Row['source_type'], id?: number) =>
    rows.find((row) => row.source_type === type && (id === undefined || row.source_id === id));
  const groups = groupIds.flatMap((id) => of('group', id) ?? []);
  const email = groups.find(({ notification_email }) => notification_email !== null)?.notification_email ?? null;
  const specific = [of('project'), ...groups].find((row) => row !== undefined && levelOf(row.level) !== 'global');
  const row = specific ?? of('user');
  if (row === undefined) return { ...EVERYWHERE, email };
  const level = levelOf(row.level);
  // The global setting cannot refer to itself.
  return { level: level === 'global' ? EVERYWHERE.level : level, events: parseJson(row.events), email };
}
