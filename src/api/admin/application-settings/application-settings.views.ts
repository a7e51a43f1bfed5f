import type { Static } from 'typebox';
import type { Plan } from '../../../access/access.plan.ts';
import { namespaceOfId } from '../../../access/find-by-id.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { StoredSettings } from '../../../settings/application-settings.ts';
import { FULLY_PROTECTED, protectionNumber } from '../../../settings/branch-protection.ts';
import { type AllSettings, isKnownTo, SETTING_NAMES, settingOf } from '../../../settings/settings-table.ts';
import { OLD_NAMES, type Settings, shownValue } from './application-settings.schemas.ts';

/** Shown in place of a credential. */
export const MASK = '*****';

/** The settings as administrators see them, old names included. */
export async function presentSettings(
  db: Db,
  plan: Plan,
  settings: AllSettings,
  { createdAt, updatedAt }: StoredSettings,
): Promise<Static<typeof Settings>> {
  const known = SETTING_NAMES.filter((name) => isKnownTo(plan, settingOf(name)));
  const now: Record<string, unknown> = Object.fromEntries(
    known.map((name) => [name, shownValue(settingOf(name), settings[name])]),
  );
  const old = Object.entries(OLD_NAMES).flatMap(([name, current]) => (current in now ? [[name, now[current]]] : []));
  const number = protectionNumber(settings.default_branch_protection_defaults);
  const { performance_bar_allowed_group_path: path, custom_project_templates_group_id: templates } = settings;
  return {
    ...now,
    ...Object.fromEntries(old),
    ...(templates !== null && !(await isGroup(db, templates)) ? { custom_project_templates_group_id: null } : {}),
    id: 1,
    created_at: createdAt,
    updated_at: updatedAt,
    default_branch_protection: number === -1 ? FULLY_PROTECTED : number,
    repository_storages: Object.entries(settings.repository_storages_weighted)
      .filter(([, weight]) => weight > 0)
      .map(([name]) => name),
    housekeeping_bitmaps_enabled: true,
    performance_bar_enabled: path !== null,
    performance_bar_allowed_group_id: path === null ? null : await groupId(db, path),
  };
}

/** Whether a group with this id exists. */
export async function isGroup(db: Db, id: number): Promise<boolean> {
  const [group] = await namespaceOfId(db, { id });
  return group?.kind === 'group';
}

async function groupId(db: Db, path: string): Promise<number | null> {
  const group = await db
    .selectFrom('namespaces')
    .select('id')
    .where('full_path', '=', path)
    .where('kind', '=', 'group')
    .executeTakeFirst();
  return group?.id ?? null;
}
