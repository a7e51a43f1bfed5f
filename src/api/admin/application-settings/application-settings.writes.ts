import { effectivePlan } from '../../../access/access.plan.ts';
import { changesOf as auditChanges, type WatchedAttributes } from '../../../audit/changes.audit.ts';
import { type AuditEntry, INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockInstance } from '../../../db/lock-row.ts';
import type { Deps } from '../../../deps.ts';
import {
  allSettings,
  type ChangedSettings,
  SETTINGS_KEY,
  storedSettings,
} from '../../../settings/application-settings.ts';
import { PROTECTIONS } from '../../../settings/branch-protection.ts';
import {
  type AllSettings,
  isKnownTo,
  SETTING_NAMES,
  type SettingName,
  settingOf,
} from '../../../settings/settings-table.ts';
import { checkSettings } from './application-settings.rules.ts';
import { OLD_NAMES, type SettingsInput } from './application-settings.schemas.ts';
import { isGroup, MASK } from './application-settings.views.ts';

/** The given changes by current names; a current name takes precedence over an old one. */
function changesOf(input: SettingsInput, current: AllSettings, plan: Parameters<typeof isKnownTo>[0]): ChangedSettings {
  const changes: ChangedSettings = {};
  for (const [name, now] of Object.entries(OLD_NAMES)) if (input[name] !== undefined) changes[now] = input[name];
  const number = input.default_branch_protection;
  if (number !== undefined) changes.default_branch_protection_defaults = PROTECTIONS[number];
  for (const name of SETTING_NAMES) if (input[name] !== undefined) changes[name] = input[name];
  if (input.default_branch_protection_defaults !== undefined) {
    changes.default_branch_protection_defaults = {
      ...current.default_branch_protection_defaults,
      ...input.default_branch_protection_defaults,
    };
  }
  if (input.performance_bar_enabled === false) changes.performance_bar_allowed_group_path ??= null;
  if (input.repository_storages !== undefined) {
    changes.repository_storages_weighted = weightsOf(input.repository_storages, current.repository_storages_weighted);
  }
  if (input.repository_storages_weighted !== undefined) {
    changes.repository_storages_weighted = {
      ...current.repository_storages_weighted,
      ...input.repository_storages_weighted,
    };
  }
  // Two forms of one list: the array takes precedence over the lines.
  const lines = changes.outbound_local_requests_allowlist_raw;
  if (typeof lines === 'string') changes.outbound_local_requests_whitelist ??= lines.split(/[\s,;]+/).filter(Boolean);
  else if (lines === null) changes.outbound_local_requests_whitelist ??= [];
  const hosts = changes.outbound_local_requests_whitelist as readonly string[] | undefined;
  if (hosts !== undefined) changes.outbound_local_requests_allowlist_raw = hosts.join('\n');
  for (const name of Object.keys(changes) as SettingName[]) {
    const setting = settingOf(name);
    if (!isKnownTo(plan, setting)) delete changes[name];
    else if (setting.kind === 'addresses' && Array.isArray(changes[name])) {
      changes[name] = changes[name].map((each) => String(each).trim()).join(',');
    } else if (setting.kind === 'secret') {
      // Nothing uses the value: only its presence is stored.
      changes[name] = changes[name] === null || changes[name] === '' ? null : MASK;
    }
  }
  return changes;
}

/** Storages for new repositories keep their weight, or get 100 if they had none; all others get 0. */
const weightsOf = (names: readonly string[], current: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    [...Object.keys(current), ...names].map((name) => [name, names.includes(name) ? current[name] || 100 : 0]),
  );

/** Secrets appear as `MASK`. */
const WATCHED: WatchedAttributes<AllSettings> = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, { name: 'application_setting_updated', as: name }]),
);
const TARGET = { id: 1, type: 'ApplicationSetting', details: 'Application settings' };

/** Audit entries for replaced secrets: old and new are both masked. The mask itself, sent back, is not a change. */
const replacedSecrets = (input: SettingsInput, current: AllSettings): Omit<AuditEntry, 'entity'>[] =>
  SETTING_NAMES.filter(
    (name) => settingOf(name).kind === 'secret' && current[name] === MASK && input[name] && input[name] !== MASK,
  ).map((name) => ({
    name: 'application_setting_updated',
    message: `Changed ${name}`,
    more: { change: name, from: MASK, to: MASK },
  }));

/**
 * Changes the given settings.
 * @throws ApiError 400 for invalid values
 */
export async function changeSettings(deps: Deps, input: SettingsInput): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await lockInstance(db);
    const current = await allSettings(deps, db);
    const changes = changesOf(input, current, await effectivePlan(deps, db));
    const after = { ...current, ...changes } as AllSettings;
    checkSettings(changes, after, deps.storages.list);
    await requireTemplatesGroup(db, changes.custom_project_templates_group_id);
    await store(deps, db, changes);
    await recordAudit(
      deps,
      db,
      [...auditChanges(current, after, WATCHED), ...replacedSecrets(input, current)].map((entry) => ({
        ...entry,
        entity: INSTANCE,
        target: TARGET,
      })),
    );
  });
  deps.recent.invalidate();
  await deps.settings.changed();
}

/** @throws ApiError 400 if the group does not exist */
async function requireTemplatesGroup(db: Db, id: unknown): Promise<void> {
  if (typeof id === 'number' && !(await isGroup(db, id))) {
    throw invalidModel({ custom_project_templates_group_id: ['is not the id of a group'] });
  }
}

async function store(deps: Deps, db: Db, changes: ChangedSettings): Promise<void> {
  const { changed } = await storedSettings(deps, db);
  const value = JSON.stringify({ ...changed, ...changes });
  const updated_at = timestamp(deps.clock);
  await db
    .insertInto('instance_values')
    .values({ key: SETTINGS_KEY, value, updated_at })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at }))
    .execute();
}
