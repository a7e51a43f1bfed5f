import type { CallerInProject } from '../access/caller-in-project.ts';
import { AccessLevel } from '../core/access-levels.ts';
import { forbidden } from '../core/core.errors.ts';
import { matchesWildcard } from '../core/wildcard.ts';
import type { Db } from '../db/db.schema.ts';
import type { PackageProtectionRule } from '../db/tables/package-protection-rules.table.ts';
import type { PackageType } from '../db/tables/packages.table.ts';
import { pythonName } from './python-name.ts';

const LEVELS: Readonly<Record<string, number>> = {
  maintainer: AccessLevel.maintainer,
  owner: AccessLevel.owner,
  admin: AccessLevel.admin,
};

/** Whether a protection rule prevents the caller from publishing or deleting packages of a name. */
export async function isProtectedFrom(
  db: Db,
  { caller, project, permissions }: CallerInProject,
  { type, name }: { type: PackageType; name: string },
  action: 'push' | 'delete',
): Promise<boolean> {
  if (caller.admin) return false;
  const rules = await db
    .selectFrom('package_protection_rules')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('package_type', '=', type)
    .execute();
  return rules.some((rule) => {
    const level = levelOf(rule, action);
    // Deploy tokens have no role.
    if (level === null || (caller.user !== null && permissions.level >= level)) return false;
    const pattern = comparable(type, rule.package_name_pattern);
    return namesOf(type, comparable(type, name)).some((each) => matchesWildcard(pattern, each));
  });
}

/** Name for comparison with rules: names that a registry treats as equal match the same rules. */
const comparable = (type: PackageType, name: string): string =>
  type === 'pypi' ? pythonName(name) : name.toLowerCase();

/** The name of a Conan package is its whole recipe; rules match the name in the recipe. */
const namesOf = (type: PackageType, name: string): string[] =>
  type === 'conan' ? [name, name.split('/', 1)[0]!] : [name];

function levelOf(rule: PackageProtectionRule, action: 'push' | 'delete'): number | null {
  const role = rule[`minimum_access_level_for_${action}`];
  return role === null ? null : LEVELS[role]!;
}

export const packageProtected = () => forbidden('Package protected.');
