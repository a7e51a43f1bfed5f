import type { Db } from '../../../db/db.schema.ts';
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
  users: ReadonlyMap<number, string>;
  groups: ReadonlyMap<number, string>;
  deployKeys: ReadonlyMap<number, string>;
}

const idsOf = (levels: readonly ProtectedRefLevel[], column: 'user_id' | 'group_id' | 'deploy_key_id'): number[] => [
  ...new Set(levels.map((level) => level[column]).filter((id) => id !== null)),
];

/** Loads the names that the protections need, with at most three queries. */
export async function loadSubjectNames(db: Db, protections: readonly Protection[]): Promise<SubjectNames> {
  const levels = protections.flatMap((protection) => protection.levels);
  const [users, groups, keys] = [idsOf(levels, 'user_id'), idsOf(levels, 'group_id'), idsOf(levels, 'deploy_key_id')];
  const [userRows, groupRows, keyRows] = await Promise.all([
    users.length === 0 ? [] : db.selectFrom('users').select(['id', 'name']).where('id', 'in', users).execute(),
    groups.length === 0 ? [] : db.selectFrom('namespaces').select(['id', 'name']).where('id', 'in', groups).execute(),
    keys.length === 0 ? [] : db.selectFrom('deploy_keys').select(['id', 'title']).where('id', 'in', keys).execute(),
  ]);
  return {
    users: new Map(userRows.map(({ id, name }) => [id, name])),
    groups: new Map(groupRows.map(({ id, name }) => [id, name])),
    deployKeys: new Map(keyRows.map(({ id, title }) => [id, title])),
  };
}

function describe(level: ProtectedRefLevel, names: SubjectNames): string {
  if (level.user_id !== null) return names.users.get(level.user_id) ?? 'User';
  if (level.group_id !== null) return names.groups.get(level.group_id) ?? 'Group';
  if (level.deploy_key_id !== null) return names.deployKeys.get(level.deploy_key_id) || 'Deploy key';
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
