import { groupMembership, lineageIds } from '../access/access.membership.ts';
import type { Caller } from '../access/caller.ts';
import { namespacesOfIds } from '../access/find-by-id.ts';
import type { ProjectPermissions } from '../access/permissions.ts';
import { today } from '../core/clock.ts';
import { matchesWildcard } from '../core/wildcard.ts';
import { cachedUntilWrite } from '../db/read-cache.ts';
import type { ProtectedRefLevel } from '../db/tables/protected-ref-levels.table.ts';
import type { ProtectedRef } from '../db/tables/protected-refs.table.ts';
import type { PushRule } from '../db/tables/push-rules.table.ts';
import type { Deps } from '../deps.ts';
import { protectionsOfGroups } from './group-protections.ts';
import { effectivePushRule } from './push-rules/effective-push-rule.ts';

/** A protected branch or tag with its levels. */
export interface Protection extends ProtectedRef {
  levels: readonly ProtectedRefLevel[];
  /** Whether it is inherited from a group: its id is then one of the group's protections. */
  inherited?: true;
}

export type ProtectedAction = ProtectedRefLevel['action'];

/** Rules for changes of a project's refs. */
export interface RefRules {
  /** Includes protections inherited from groups. */
  protections: readonly Protection[];
  /** Effective push rule; null for none. */
  pushRule: PushRule | null;
}

/** Loads all rules of a project and its groups for ref changes. */
export function loadRefRules(deps: Deps, projectId: number): Promise<RefRules> {
  return deps.snapshot.get(`ref-rules:${projectId}`, async () => {
    const rows = await ownProtections(deps.db, { projectId });
    const [place] = rows;
    if (place === undefined) return { protections: [], pushRule: null };
    const groups = place.owner === 'group' ? lineageIds(place.lineage) : [];
    const protections = [...assemble(projectId, rows), ...(await protectionsOfGroups(deps.db, groups, projectId))];
    const pushRuleIds = { own: place.push_rule_id, groups: place.group_push_rule_id === null ? [] : groups };
    return { protections, pushRule: await effectivePushRule(deps, pushRuleIds) };
  });
}

/** All protections of a project, including those inherited from groups. */
export const loadProtections = async (deps: Deps, projectId: number): Promise<readonly Protection[]> =>
  (await loadRefRules(deps, projectId)).protections;

type OwnRow = Awaited<ReturnType<typeof ownProtections>>[number];

/** Path of the project and its own protections: a row for each level, and a row without one if there is none. */
const ownProtections = cachedUntilWrite((db, { projectId }: { projectId: number }) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .leftJoin('protected_refs as ref', 'ref.project_id', 'projects.id')
    .leftJoin('protected_ref_levels as level', 'level.protected_ref_id', 'ref.id')
    .leftJoin('push_rules', 'push_rules.project_id', 'projects.id')
    .select(['namespaces.kind as owner', 'namespaces.lineage', 'push_rules.id as push_rule_id'])
    // Whether any group has protections: most installations have none.
    .select((eb) =>
      eb
        .selectFrom('push_rules as of_group')
        .select('of_group.id')
        .where('of_group.namespace_id', 'is not', null)
        .limit(1)
        .as('group_push_rule_id'),
    )
    .select(['ref.id', 'ref.kind', 'ref.name', 'ref.allow_force_push', 'ref.code_owner_approval_required'])
    .select(['ref.created_at', 'ref.updated_at'])
    .select(['level.id as level_id', 'level.action', 'level.access_level'])
    .select(['level.user_id', 'level.group_id', 'level.deploy_key_id'])
    .where('projects.id', '=', projectId)
    .orderBy('ref.id')
    .orderBy('level.id'),
);

function assemble(project_id: number, rows: readonly OwnRow[]): Protection[] {
  const protections = new Map<number, Protection & { levels: ProtectedRefLevel[] }>();
  for (const row of rows) {
    const { id, level_id, action } = row;
    if (id === null) continue;
    const { kind, name, allow_force_push, code_owner_approval_required, created_at, updated_at } = row as ProtectionRow;
    const rest = { name, allow_force_push, code_owner_approval_required, created_at, updated_at };
    const protection = protections.get(id) ?? { id, project_id, kind, ...rest, levels: [] };
    protections.set(id, protection);
    if (level_id === null || action === null) continue;
    const { access_level, user_id, group_id, deploy_key_id } = row;
    const level = { access_level, user_id, group_id, deploy_key_id };
    protection.levels.push({ id: level_id, protected_ref_id: id, action, ...level });
  }
  return [...protections.values()];
}

/** A row of an existing protection. */
type ProtectionRow = { [K in keyof OwnRow]: NonNullable<OwnRow[K]> };

/**
 * The protections that apply to a branch or tag, by name or pattern. If groups protect it, only theirs apply: a project
 * cannot weaken them with a wider protection of its own.
 */
export function protectionsOf(
  protections: readonly Protection[],
  kind: 'branch' | 'tag',
  name: string,
): readonly Protection[] {
  const matching = protections.filter(
    (each) => each.kind === kind && (each.name === name || matchesWildcard(each.name, name)),
  );
  const inherited = matching.filter((each) => each.inherited);
  return inherited.length > 0 ? inherited : matching;
}

/** Whether everyone of a level is allowed: shown as `developers_can_push` and the like. */
export const levelAllows = (matching: readonly Protection[], action: ProtectedAction, level: number): boolean =>
  matching.some(({ levels }) => levels.some((each) => each.action === action && each.access_level === level));

/** Facts about a user that decide about actions on a protected ref. */
export interface Actor {
  caller: Caller;
  permissions: ProjectPermissions;
  /** The deploy key used, if it may push. */
  deployKeyId?: number;
  /** Branches that the actor may push to through merge requests. */
  collaborates?: ReadonlySet<string>;
}

/** Whether one of the protections allows the action. `No one` (0) excludes everybody, including administrators. */
export async function protectionAllows(
  deps: Deps,
  actor: Actor,
  matching: readonly Protection[],
  action: ProtectedAction,
): Promise<boolean> {
  const groups: number[] = [];
  const { user } = actor.caller;
  // A user named in a protection also needs the general right to push or merge.
  const may = actor.permissions.can(action === 'merge' ? 'merge_merge_request' : 'push_code');
  for (const { levels } of matching) {
    for (const level of levels) {
      if (level.action !== action) continue;
      if (level.deploy_key_id !== null) {
        if (actor.deployKeyId === level.deploy_key_id) return true;
      } else if (level.user_id !== null) {
        if (user?.id === level.user_id && may) return true;
      } else if (level.group_id !== null) {
        groups.push(level.group_id);
      } else if (level.access_level !== null && level.access_level > 0) {
        if (level.access_level === 60 ? actor.caller.admin : actor.permissions.level >= level.access_level) return true;
      }
    }
  }
  if (user === null || groups.length === 0 || !may) return false;
  const rows = await namespacesOfIds(deps.db, { ids: groups });
  for (const row of rows) {
    if ((await groupMembership(deps.db, row, user.id, today(deps.clock))).level > 0) return true;
  }
  return false;
}

/** Decision of `protectionAllows` for an actor. */
export type Allows = (matching: readonly Protection[], action: ProtectedAction) => Promise<boolean>;

/** Like `protectionAllows`, for many refs at one moment: refs with the same protections share a decision. */
export function memoizedAllows(deps: Deps, actor: Actor): Allows {
  const decisions = new Map<string, Promise<boolean>>();
  return (matching, action) => {
    const key = `${action} ${matching.map(({ id, inherited }) => `${inherited ? 'group ' : ''}${id}`).join()}`;
    const known = decisions.get(key);
    if (known !== undefined) return known;
    const allowed = protectionAllows(deps, actor, matching, action);
    decisions.set(key, allowed);
    return allowed;
  };
}

/**
 * Whether the actor may push to the branch: write access (or collaboration through a merge request), and permission if
 * it is protected.
 */
export async function canPushTo(
  deps: Deps,
  actor: Actor,
  protections: readonly Protection[],
  branch: string,
): Promise<boolean> {
  const matching = protectionsOf(protections, 'branch', branch);
  if (matching.length > 0) return protectionAllows(deps, actor, matching, 'push');
  return actor.permissions.can('push_code') || actor.collaborates?.has(branch) === true;
}

/** Whether the actor may merge into the branch: by its protection, or by the right to push if it has none. */
export async function canMergeInto(deps: Deps, actor: Actor, projectId: number, branch: string): Promise<boolean> {
  if (!actor.permissions.can('merge_merge_request')) return false;
  return canMergeBy(deps, actor, (await loadRefRules(deps, projectId)).protections, branch);
}

/** Like `canMergeInto`, with known protections. */
export async function canMergeBy(
  deps: Deps,
  actor: Actor,
  protections: readonly Protection[],
  branch: string,
): Promise<boolean> {
  if (!actor.permissions.can('merge_merge_request')) return false;
  const matching = protectionsOf(protections, 'branch', branch);
  return matching.length === 0 || protectionAllows(deps, actor, matching, 'merge');
}

/**
 * Whether the actor may run pipelines for a ref: for a protected one, those who may push to it, merge into it or create
 * it.
 */
export async function canRunOn(
  deps: Deps,
  actor: Actor,
  projectId: number,
  { ref, tag }: { ref: string; tag: boolean },
): Promise<boolean> {
  const matching = protectionsOf(await loadProtections(deps, projectId), tag ? 'tag' : 'branch', ref);
  if (matching.length === 0) return true;
  for (const action of tag ? (['create'] as const) : (['push', 'merge'] as const)) {
    if (await protectionAllows(deps, actor, matching, action)) return true;
  }
  return false;
}
