import type { Circumstances, Relation } from '../../access/ability-rule.ts';
import { describeGroupAbility, describeProjectAbility } from '../../access/ability-words.ts';
import type { GroupAbility, ProjectAbility } from '../../access/access.abilities.ts';
import { lineageIds } from '../../access/access.membership.ts';
import type { Caller } from '../../access/caller.ts';
import { revalidateGroupAbility, revalidateProjectAbility } from '../../access/caller-in-project.ts';
import type { GroupPermissions, ProjectPermissions } from '../../access/permissions.ts';
import type { EffectiveMembership } from '../../access/role-permissions.ts';
import { type ApiError, forbidden } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import type { Access, AccessRequest } from '../../http/http.route.ts';
import { inGroup, inProject } from '../api.access.ts';

export type SourceKind = 'project' | 'group';

/** A project or group, for features that both share: members, access requests, tokens. */
export type Source = {
  id: number;
  /** Ids of the groups whose members are inherited, from the root; includes a group's own id. */
  lineage: readonly number[];
} & ({ kind: 'project'; project: Project; namespace: Namespace } | { kind: 'group'; group: Namespace });

/** Context of handlers. */
export interface SourceScope {
  source: Source;
  /** Membership of the caller; level 60 for administrators. */
  standing: EffectiveMembership;
  can(abilities: SourceAbilities, on?: Circumstances): boolean;
}

/** An ability in projects and its counterpart in groups. */
export interface SourceAbilities {
  project: ProjectAbility;
  group: GroupAbility;
}

export const projectSource = (project: Project, namespace: Namespace): Source => ({
  kind: 'project',
  id: project.id,
  lineage: namespace.kind === 'group' ? lineageIds(namespace.lineage) : [],
  project,
  namespace,
});

export const groupSource = (group: Namespace): Source => ({
  kind: 'group',
  id: group.id,
  lineage: lineageIds(group.lineage),
  group,
});

/** Ability for sharing with a group, in projects and groups. */
export const SHARE: SourceAbilities = { project: 'share_project', group: 'share_group' };

/** Returns the membership for permissions in a project or group. */
export const membershipOf = ({
  level,
  rolePermissions,
}: ProjectPermissions | GroupPermissions): EffectiveMembership => ({
  level,
  permissions: rolePermissions,
});

/**
 * Checks an ability again within the transaction of a change.
 * @returns the current membership
 * @throws ApiError 401, 403, 404
 */
export async function revalidateSourceAbility(
  deps: Deps,
  db: Db,
  caller: Caller,
  source: Source,
  abilities: SourceAbilities,
): Promise<EffectiveMembership> {
  const { permissions } =
    source.kind === 'project'
      ? await revalidateProjectAbility(deps, db, caller, source.id, abilities.project)
      : await revalidateGroupAbility(deps, db, caller, source.id, abilities.group);
  return membershipOf(permissions);
}

/**
 * Callers with an ability in the project or group of `:id`; follows `inProject` and `inGroup`.
 * @param options `refusal`: replaces 403 where the platform hides the object
 */
export function inSource(
  kind: SourceKind,
  abilities: SourceAbilities,
  options: { anonymous?: boolean; refusal?: () => ApiError } = {},
): Access<SourceScope> {
  const { anonymous = false, refusal } = options;
  const find =
    kind === 'project' ? inProjectSource(abilities.project, anonymous) : inGroupSource(abilities.group, anonymous);
  if (refusal === undefined) return find;
  return {
    ...find,
    check: async (request) => {
      try {
        return await find.check(request);
      } catch (error) {
        throw isForbidden(error) ? refusal() : error;
      }
    },
  };
}

const isForbidden = (error: unknown): boolean => error instanceof Error && 'status' in error && error.status === 403;

/**
 * Callers with an ability concerning a user of the project or group, by their role or because they are that user.
 * @param sees abilities without which the object is 404
 * @param as relation of the user of `:user_id` to the object, which is called `noun` in the OpenAPI document
 */
export function inSourceOrSelf(
  kind: SourceKind,
  sees: SourceAbilities,
  abilities: SourceAbilities,
  { as, noun }: { as: Relation; noun: string },
): Access<SourceScope> {
  const access = inSource(kind, sees);
  return {
    ...access,
    description:
      kind === 'project'
        ? describeProjectAbility(abilities.project, noun)
        : describeGroupAbility(abilities.group, noun),
    ability: abilities[kind],
    writes: true,
    check: async (request) => {
      const scope = await access.check(request);
      const own = request.values().user_id === request.caller.user?.id;
      if (!scope.can(abilities, own ? { as } : {})) throw forbidden();
      return scope;
    },
  };
}

function inProjectSource(ability: ProjectAbility, anonymous: boolean): Access<SourceScope> {
  const access = inProject(ability, { anonymous });
  const check = async (request: AccessRequest) => {
    const { project, namespace, permissions } = await access.check(request);
    const can: SourceScope['can'] = (abilities, on) => permissions.can(abilities.project, on);
    return { source: projectSource(project, namespace), standing: membershipOf(permissions), can };
  };
  return { ...access, check };
}

function inGroupSource(ability: GroupAbility, anonymous: boolean): Access<SourceScope> {
  const access = inGroup(ability, { anonymous });
  const check = async (request: AccessRequest) => {
    const { group, permissions } = await access.check(request);
    const can: SourceScope['can'] = (abilities, on) => permissions.can(abilities.group, on);
    return { source: groupSource(group), standing: membershipOf(permissions), can };
  };
  return { ...access, check };
}
