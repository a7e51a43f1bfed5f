import { AccessLevel } from '../core/access-levels.ts';
import { today } from '../core/clock.ts';
import { parseJson } from '../db/columns.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { FeatureLevel, Project, ProjectFeature } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import type { Circumstances } from './ability-rule.ts';
import {
  allowsInGroup,
  allowsInProject,
  CREATION_LEVELS,
  featureOpen,
  type GroupAbility,
  type GroupAbilityContext,
  type ProjectAbility,
  type ProjectAbilityContext,
} from './access.abilities.ts';
import { groupMembership, hasProjectInside, projectMembership } from './access.membership.ts';
import { effectivePlan, includesPlan } from './access.plan.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { isFrozen } from './frozen.ts';
import { callerIn } from './job-token-caller.ts';
import { deployKeyLevel } from './key-caller.ts';
import { atLevel, type EffectiveMembership, type RolePermissions } from './role-permissions.ts';

/** Permissions of a caller in a project. */
export interface ProjectPermissions {
  /** Member level; 0 for non-members, 60 for administrators. */
  level: number;
  /** Permissions of custom roles, in addition to the level. */
  rolePermissions: RolePermissions;
  /** @param on facts about the object of the ability */
  can(ability: ProjectAbility, on?: Circumstances): boolean;
  /** Whether the project is archived or pending deletion. */
  frozen: boolean;
  featureOpen(feature: ProjectFeature): boolean;
}

/** Permissions of a caller in a group. */
export interface GroupPermissions {
  level: number;
  rolePermissions: RolePermissions;
  can(ability: GroupAbility, on?: Circumstances): boolean;
}

/** Computes the permissions of the caller in the project. */
export async function projectPermissions(
  deps: Deps,
  asking: Caller,
  project: Project,
  namespace: Pick<Namespace, 'lineage' | 'owner_id'>,
): Promise<ProjectPermissions> {
  const caller = confined(await callerIn(deps, asking, project), namespace.lineage);
  const { user } = caller;
  const membership = caller.admin
    ? ADMINISTRATOR
    : user === null
      ? atLevel(await machineLevel(deps, caller, project.id, namespace.lineage))
      : await deps.snapshot.get(`level:p${project.id}:${user.id}:${today(deps.clock)}`, () =>
          projectMembership(deps.db, project, namespace, user.id, today(deps.clock)),
        );
  return projectPermissionsAt(caller, project, await onPlan(deps, membership));
}

const ADMINISTRATOR = atLevel(AccessLevel.admin);

/** Custom roles have no effect on a plan without them. */
const onPlan = async (deps: Deps, membership: EffectiveMembership): Promise<EffectiveMembership> =>
  membership.permissions.size === 0 || includesPlan(await effectivePlan(deps), 'ultimate')
    ? membership
    : atLevel(membership.level);

/** Computes the permissions of the caller in the project from their known membership. */
export function projectPermissionsAt(
  caller: Caller,
  project: Project,
  { level, permissions: rolePermissions }: EffectiveMembership,
): ProjectPermissions {
  const { user } = caller;
  const scope: ProjectAbilityContext = {
    level,
    rolePermissions,
    signedIn: user !== null,
    external: user?.external === 1,
    deployScopes: caller.credential.kind === 'deploy_token' && level > 0 ? (caller.scopes ?? []) : [],
    visibility: project.visibility,
    frozen: isFrozen(project),
    featureLevel: (feature) => project[`${feature}_access_level`],
    publicJobs: () => parseJson<{ public_jobs?: boolean }>(project.settings).public_jobs !== false,
  };
  return {
    level,
    rolePermissions,
    frozen: scope.frozen,
    can: (ability, on) => allowsInProject(scope, ability, on),
    featureOpen: (feature) => featureOpen(scope, feature),
  };
}

/** Computes the permissions of the caller in the group or personal namespace. */
export async function groupPermissions(deps: Deps, asking: Caller, namespace: Namespace): Promise<GroupPermissions> {
  const caller = confined(asking, namespace.lineage);
  const { user } = caller;
  const membership = caller.admin
    ? ADMINISTRATOR
    : user === null
      ? atLevel(deployTokenLevel(caller, 'group', namespace.id, namespace.lineage))
      : await deps.snapshot.get(`level:g${namespace.id}:${user.id}:${today(deps.clock)}`, () =>
          groupMembership(deps.db, namespace, user.id, today(deps.clock)),
        );
  const { level, permissions: rolePermissions } = await onPlan(deps, membership);
  const open = standingIsOpen(caller, namespace);
  const scope: GroupAbilityContext = {
    level,
    rolePermissions,
    top: namespace.parent_id === null,
    signedIn: user !== null,
    external: user?.external === 1,
    visibility: namespace.visibility,
    frozen: namespace.in_deletion === 1,
    inside: level === 0 && user !== null && !open && (await isInside(deps, namespace, user.id)),
    creationLevels: creationLevels(namespace),
    wiki: parseJson<{ wiki_access_level?: FeatureLevel }>(namespace.settings).wiki_access_level ?? 'enabled',
  };
  return { level, rolePermissions, can: (ability, on) => allowsInGroup(scope, ability, on) };
}

/** Whether the group is visible to the caller without membership. */
const standingIsOpen = ({ user }: Caller, { visibility }: Namespace): boolean =>
  visibility === 'public' || (visibility === 'internal' && user?.external === 0);

function isInside(deps: Deps, namespace: Namespace, userId: number): Promise<boolean> {
  const day = today(deps.clock);
  return deps.snapshot.get(`inside:g${namespace.id}:${userId}:${day}`, () =>
    hasProjectInside(deps.db, namespace, userId, day),
  );
}

function creationLevels({ settings }: Namespace): GroupAbilityContext['creationLevels'] {
  const levels = parseJson<{ subgroup_creation_level?: string; project_creation_level?: string }>(settings);
  return {
    subgroup: CREATION_LEVELS[levels.subgroup_creation_level ?? 'maintainer']!,
    project: CREATION_LEVELS[levels.project_creation_level ?? 'developer']!,
  };
}

/** With an SSH certificate of a group, the caller is anonymous outside that group. */
const confined = (caller: Caller, lineage: string): Caller => (isDescendantOf(caller, lineage) ? caller : ANONYMOUS);

/** Whether the caller's credential is valid in a place: a certificate is valid in its group only. */
export const isDescendantOf = ({ credential }: Caller, lineage: string): boolean =>
  credential.kind !== 'ssh_certificate' || lineage.includes(`/${credential.groupId}/`);

/** Level of a caller without a user in a project. */
const machineLevel = async (deps: Deps, caller: Caller, projectId: number, lineage: string): Promise<number> =>
  caller.credential.kind === 'deploy_key'
    ? deployKeyLevel(deps, caller.credential.key.id, projectId)
    : deployTokenLevel(caller, 'project', projectId, lineage);

/** Level of a deploy token: a Reporter where it was created, further limited by its scopes. */
function deployTokenLevel(caller: Caller, type: 'project' | 'group', id: number, lineage: string): number {
  if (caller.credential.kind !== 'deploy_token') return 0;
  const { source_type, source_id } = caller.credential.token;
  const inside = source_type === 'group' ? lineage.includes(`/${source_id}/`) : type === 'project' && source_id === id;
  return inside ? AccessLevel.reporter : 0;
}
