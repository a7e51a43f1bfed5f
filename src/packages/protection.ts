import type { CallerInProject } from '../access/caller-in-project.ts';
import { AccessLevel } from '../core/access-levels.ts';
import { forbidden } from '../core/core.errors.ts';
import { matchesWildcard } from '../core/wildcard.ts';
import type { PackageProtectionRule } from '../db/tables/package-protection-rules.table.ts';
import type { Deps } from '../deps.ts';
import { kindOf, nameKeyOf } from './package-kind.ts';

const LEVELS: Readonly<Record<string, number>> = {
  maintainer: AccessLevel.maintainer,
  owner: AccessLevel.owner,
  admin: AccessLevel.admin,
};

/** Whether a protection rule prevents the caller from publishing or deleting packages of a name. */
export async function isProtectedFrom(
  { db, packageKinds }: Pick<Deps, 'db' | 'packageKinds'>,
  { caller, project, permissions }: CallerInProject,
  { type, name }: { type: string; name: string },
  action: 'push' | 'delete',
): Promise<boolean> {
  if (caller.admin) return false;
  const rules = await db
    .selectFrom('package_protection_rules')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('package_type', '=', type)
    .execute();
  const kind = kindOf(packageKinds, type);
  // Names that a registry treats as equal match the same rules.
  const comparable = (text: string) => nameKeyOf(kind, text).toLowerCase();
  const whole = comparable(name);
  const names = [whole, kind.protection?.part?.(whole) ?? whole];
  return rules.some((rule) => {
    const level = levelOf(rule, action);
    // Deploy tokens have no role.
    if (level === null || (caller.user !== null && permissions.level >= level)) return false;
    const pattern = comparable(rule.package_name_pattern);
    return names.some((each) => matchesWildcard(pattern, each));
  });
}

function levelOf(rule: PackageProtectionRule, action: 'push' | 'delete'): number | null {
  const role = rule[`minimum_access_level_for_${action}`];
  return role === null ? null : LEVELS[role]!;
}

export const packageProtected = () => forbidden('Package protected.');
