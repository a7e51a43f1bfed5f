import { lineageIds, projectMembership } from '../../../access/access.membership.ts';
import { requirePlan } from '../../../access/access.plan.ts';
import { today } from '../../../core/clock.ts';
import { invalidParameter, recordNotFound, refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { ProtectedRefLevel } from '../../../db/tables/protected-ref-levels.table.ts';
import type { Deps } from '../../../deps.ts';
import {
  atLevel,
  insertLevels,
  type LevelSubject,
  type NewLevel,
} from '../../../repositories/repository.protected-refs.ts';
import type { ProtectedAction } from '../../../repositories/repository.protections.ts';
import { type AllowedEntry, DEFAULT_ROLE } from './protected-refs.inputs.ts';

const SUBJECTS = ['access_level', 'user_id', 'group_id', 'deploy_key_id'] as const;
const WORDS = {
  access_level: 'access level',
  user_id: 'user',
  group_id: 'group',
  deploy_key_id: 'deploy key',
} as const;
const LABELS: Readonly<Record<ProtectedAction, string>> = {
  push: 'Push access levels',
  merge: 'Merge access levels',
  unprotect: 'Unprotect access levels',
  create: 'Create access levels',
};

/** A project and its namespace. */
export interface ProjectOf {
  project: Project;
  namespace: Namespace;
}

const input = (entry: AllowedEntry) => SUBJECTS.filter((name) => entry[name] !== undefined);

/**
 * Returns the subject of an access level. `path` names the entry in messages.
 * @throws ApiError 400 unless it names exactly one
 */
function subjectOf(entry: AllowedEntry, path: string): LevelSubject {
  const named = input(entry);
  if (named.length === 0) {
    const names = SUBJECTS.map((name) => `${path}[${name}]`).join(', ');
    throw invalidParameter(`${names} are missing, exactly one parameter must be provided`);
  }
  if (named.length > 1) {
    throw invalidParameter(`${named.map((name) => `${path}[${name}]`).join(', ')} are mutually exclusive`);
  }
  return {
    access_level: entry.access_level ?? null,
    user_id: entry.user_id ?? null,
    group_id: entry.group_id ?? null,
    deploy_key_id: entry.deploy_key_id ?? null,
  };
}

/** Returns the access levels of one list: the given role and entries, or Maintainers if neither is given. */
export function levelsOf(
  action: ProtectedAction,
  role: number | undefined,
  entries: readonly AllowedEntry[] = [],
): NewLevel[] {
  const listed = entries.map((entry, at) => ({ action, ...subjectOf(entry, `allowed_to_${action}[${at}]`) }));
  const named = role ?? (listed.length === 0 ? DEFAULT_ROLE : undefined);
  return named === undefined ? listed : [{ action, ...atLevel(named) }, ...listed];
}

/** Changes to the access levels of a protection. */
export interface LevelChanges {
  add: NewLevel[];
  update: { id: number; to: NewLevel }[];
  remove: number[];
}

/**
 * Reads the entries of a change of one list.
 * @param current access levels of the protection for this action
 * @throws ApiError 400 for an entry that does not name exactly one subject, 404 for an unknown id
 */
export function readChanges(
  action: ProtectedAction,
  entries: readonly AllowedEntry[],
  current: readonly ProtectedRefLevel[],
): LevelChanges {
  const changes: LevelChanges = { add: [], update: [], remove: [] };
  for (const [at, entry] of entries.entries()) {
    const path = `allowed_to_${action}[${at}]`;
    if (entry.id === undefined) {
      if (entry._destroy !== true) changes.add.push({ action, ...subjectOf(entry, path) });
      continue;
    }
    if (!current.some(({ id }) => id === entry.id)) throw recordNotFound();
    if (entry._destroy === true) changes.remove.push(entry.id);
    else if (input(entry).length > 0) {
      changes.update.push({ id: entry.id, to: { action, ...subjectOf(entry, path) } });
    }
  }
  return changes;
}

/** Writes the changes; takes the handle of a transaction. */
export async function applyChanges(db: Db, protectionId: number, { add, update, remove }: LevelChanges): Promise<void> {
  if (remove.length > 0) await db.deleteFrom('protected_ref_levels').where('id', 'in', remove).execute();
  for (const { id, to } of update) await db.updateTable('protected_ref_levels').set(to).where('id', '=', id).execute();
  await insertLevels(db, protectionId, add);
}

const keyOf = (level: NewLevel): string => `${level.action} ${SUBJECTS.map((name) => level[name]).join(' ')}`;

/**
 * Refuses several access levels for one subject.
 * @param levels all levels after the change
 * @throws ApiError 422
 */
export function refuseDuplicates(levels: readonly NewLevel[]): void {
  const seen = new Set<string>();
  const problems = new Set<string>();
  for (const level of levels) {
    const key = keyOf(level);
    if (seen.has(key)) problems.add(problem(level, 'has already been taken'));
    seen.add(key);
  }
  if (problems.size > 0) throw refused([...problems].join(', '), 422);
}

const problem = (level: NewLevel, text: string): string =>
  `${LABELS[level.action]} ${WORDS[SUBJECTS.find((name) => level[name] !== null)!]} ${text}`;

/**
 * Refuses users, groups and deploy keys without access to the project.
 * @param levels new access levels
 * @throws ApiError 422; 403 if the plan has no access levels for single users and groups
 */
export async function refuseOutsiders(
  deps: Deps,
  project: Project,
  namespace: Namespace,
  levels: readonly NewLevel[],
): Promise<void> {
  const single = levels.some(({ user_id, group_id }) => user_id !== null || group_id !== null);
  if (single) await requirePlan(deps, 'premium');
  const groups = await groupsWithAccess(deps, project, namespace, levels);
  const keys = await keysWithAccess(deps, project, levels);
  const users = await usersWithAccess(deps, project, namespace, levels);
  const problems = new Set<string>();
  for (const level of levels) {
    if (level.user_id !== null && !users.has(level.user_id)) {
      problems.add(problem(level, 'is not a member of the project'));
    } else if (level.group_id !== null && !groups.has(level.group_id)) {
      problems.add(problem(level, 'does not have access to the project'));
    } else if (level.deploy_key_id !== null && !keys.has(level.deploy_key_id)) {
      problems.add(problem(level, 'is not enabled for this project'));
    }
  }
  if (problems.size > 0) throw refused([...problems].join(', '), 422);
}

/** Returns the active users who are direct or inherited members of the project. */
async function usersWithAccess(
  deps: Deps,
  project: Project,
  namespace: Namespace,
  levels: readonly NewLevel[],
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(levels.map(({ user_id }) => user_id).filter((id) => id !== null))];
  const members = new Set<number>();
  if (ids.length === 0) return members;
  const day = today(deps.clock);
  const rows = await deps.db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', ids)
    .where('state', '=', 'active')
    .execute();
  for (const { id } of rows) {
    if ((await projectMembership(deps.db, project, namespace, id, day)).level > 0) members.add(id);
  }
  return members;
}

/** Returns the ancestor groups of the project, and the groups that the project or its ancestors are shared with. */
async function groupsWithAccess(
  deps: Deps,
  project: Project,
  namespace: Namespace,
  levels: readonly NewLevel[],
): Promise<ReadonlySet<number>> {
  if (levels.every(({ group_id }) => group_id === null)) return new Set();
  const above = namespace.kind === 'group' ? lineageIds(namespace.lineage) : [];
  const links = await deps.db
    .selectFrom('group_links')
    .select('group_id')
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', 'project'), eb('source_id', '=', project.id)]),
        ...(above.length === 0 ? [] : [eb.and([eb('source_type', '=', 'group'), eb('source_id', 'in', above)])]),
      ]),
    )
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today(deps.clock))]))
    .execute();
  return new Set([...above, ...links.map(({ group_id }) => group_id)]);
}

async function keysWithAccess(deps: Deps, project: Project, levels: readonly NewLevel[]): Promise<ReadonlySet<number>> {
  if (levels.every(({ deploy_key_id }) => deploy_key_id === null)) return new Set();
  const rows = await deps.db
    .selectFrom('deploy_key_projects')
    .select('deploy_key_id')
    .where('project_id', '=', project.id)
    .where('can_push', '=', 1)
    .execute();
  return new Set(rows.map(({ deploy_key_id }) => deploy_key_id));
}
