import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { ProtectedRefLevel } from '../../../db/tables/protected-ref-levels.table.ts';
import type { ProtectedAction, Protection } from '../../../repositories/repository.protections.ts';
import { type AccessLevelJson, DEFAULT_ROLE } from './protected-refs.inputs.ts';

const ROLE_NAMES: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

/** Names of the users, groups and deploy keys of access levels. */
export interface SubjectNames {
  users: ReadonlyMap<number, { name: string }>;
  groups: ReadonlyMap<number, { name: string }>;
  deployKeys: ReadonlyMap<number, { title: string }>;
}

/** Loads the names that the protections need, with at most three queries. */
export async function loadSubjectNames(db: Db, protections: readonly Protection[]): Promise<SubjectNames> {
  const levels = protections.flatMap((protection) => protection.levels);
  const [users, groups, deployKeys] = await Promise.all([
    rowsById(db, 'users', pluck(levels, 'user_id'), ['name']),
    rowsById(db, 'namespaces', pluck(levels, 'group_id'), ['name']),
    rowsById(db, 'deploy_keys', pluck(levels, 'deploy_key_id'), ['title']),
  ]);
  return { users, groups, deployKeys };
}

function describe(level: ProtectedRefLevel, names: SubjectNames): string {
  if (level.user_id !== null) return names.users.get(level.user_id)?.name ?? 'User';
  if (level.group_id !== null) return names.groups.get(level.group_id)?.name ?? 'Group';
  if (level.deploy_key_id !== null) return names.deployKeys.get(level.deploy_key_id)?.title || 'Deploy key';
  return ROLE_NAMES[level.access_level ?? DEFAULT_ROLE] ?? 'Maintainers';
}

/** Renders the access levels for one action. */
export function presentLevels(
  { levels }: Protection,
  action: ProtectedAction,
  names: SubjectNames,
  withDeployKeys: boolean,
): AccessLevelJson[] {
  return levels
    .filter((level) => level.action === action)
    .map((level) => ({
      id: level.id,
      access_level: level.deploy_key_id === null ? level.access_level : DEFAULT_ROLE,
      access_level_description: describe(level, names),
      user_id: level.user_id,
      group_id: level.group_id,
      ...(withDeployKeys ? { deploy_key_id: level.deploy_key_id } : {}),
    }));
}
