import { Type } from 'typebox';
import {
  describeGroupAbility,
  describeInstanceAbility,
  describeInstanceRole,
  describeProjectAbility,
} from '../access/ability-words.ts';
import {
  type GroupAbility,
  hasInstanceRole,
  isReading,
  isReadingInGroup,
  type ProjectAbility,
} from '../access/access.abilities.ts';
import type { Caller, UserCaller } from '../access/caller.ts';
import {
  INSTANCE_RULES,
  type InstanceAbility,
  type InstanceRole,
  type InstanceRule,
} from '../access/instance-abilities.ts';
import { callerIn } from '../access/job-token-caller.ts';
import { findMoved, findNamespace, findProject } from '../access/lookup.ts';
import {
  type GroupPermissions,
  groupPermissions,
  type ProjectPermissions,
  projectPermissions,
} from '../access/permissions.ts';
import { ApiError, forbidden, notFound, unauthorized } from '../core/core.errors.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import { Moved } from '../http/http.errors.ts';
import type { Access, AccessRequest } from '../http/http.route.ts';
import { collaborationBranches } from '../repositories/collaboration.ts';
import type { Actor } from '../repositories/repository.protections.ts';

/** Context of handlers of project routes. */
export interface ProjectScope {
  project: Project;
  namespace: Namespace;
  permissions: ProjectPermissions;
}

/** Part of a scope that overrides the caller of the request. */
type BaseScope = Pick<AccessRequest, 'caller'>;

/** Context of handlers of group routes. */
export interface GroupScope {
  group: Namespace;
  permissions: GroupPermissions;
}

/** Everyone, including anonymous callers. */
export const anyone: Access = {
  description: describeInstanceRole('anyone'),
  anonymous: true,
  params: {},
  check: async () => ({}),
};

/** Signed-in users; handlers get `caller.user`. */
export const signedIn = bySignIn('user');

/** Administrators; others get 403, anonymous callers 401. */
export const administrator = bySignIn('administrator');

function bySignIn(role: InstanceRole): Access<{ caller: UserCaller }> {
  return {
    description: describeInstanceRole(role),
    anonymous: false,
    params: {},
    check: async ({ caller }) => {
      const known = requireUser(caller);
      if (!hasInstanceRole(known, role)) throw forbidden();
      return { caller: known };
    },
  };
}

/** Callers with an ability on the instance; 401 for anonymous callers, 403 for others. */
export const onServer = (ability: InstanceAbility): Access<{ caller: UserCaller }> => {
  const { role, writes }: InstanceRule = INSTANCE_RULES[ability];
  return { ...bySignIn(role), ability, writes: writes === true, description: describeInstanceAbility(ability) };
};

/** As `onServer`, for abilities that anonymous callers have as well. */
export const openAbility = (ability: InstanceAbility): Access => {
  const { writes }: InstanceRule = INSTANCE_RULES[ability];
  return { ...anyone, ability, writes: writes === true, description: describeInstanceAbility(ability) };
};

/** Returns the caller as a user. @throws ApiError 401 for anonymous callers and deploy tokens */
export function requireUser(caller: AccessRequest['caller']): UserCaller {
  if (caller.user === null) throw unauthorized();
  return caller as UserCaller;
}

async function moved(request: AccessRequest, path: string, type: 'project' | 'group'): Promise<string | undefined> {
  return path.includes('/') || type === 'group' ? findMoved(request.deps, path, type) : undefined;
}

function redirect(request: AccessRequest, type: 'project' | 'group', oldPath: string, newPath: string): never {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiError(405, `Non GET methods are not allowed for moved ${type}s`);
  }
  const [path = '', query] = request.url.split('?');
  const segments = path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment) === oldPath ? encodeURIComponent(newPath) : segment;
    } catch {
      return segment;
    }
  });
  throw new Moved(`${request.deps.externalUrl()}${segments.join('/')}${query === undefined ? '' : `?${query}`}`);
}

/**
 * Restricts another check to administrators.
 * @param ability the ability that they use; absent for reads
 */
export function byAdministrator<A extends object>(
  access: Access<A>,
  ability?: InstanceAbility,
): Access<A & { caller: UserCaller }> {
  const { description, writes } = ability === undefined ? administrator : onServer(ability);
  return {
    ...access,
    description,
    ...(ability === undefined ? {} : { ability }),
    writes: writes === true,
    check: async (request) => {
      const { caller } = await administrator.check(request);
      return { ...(await access.check(request)), caller };
    },
  };
}

/**
 * Callers with an ability in the project of `:id`. A hidden project is 404. In a visible project, a missing ability is
 * 403, for anonymous callers 404 or 401 ([decision](../../docs/decisions/closed-parts-are-403.md)).
 * @param options `anonymous`: whether anonymous callers are accepted if they have the ability; `param`: name of the
 * path parameter; `sees`: ability that decides whether the object of the request is visible
 */
export function inProject(
  ability: ProjectAbility,
  options: { anonymous?: boolean; param?: string; sees?: ProjectAbility } = {},
): Access<ProjectScope> {
  const { anonymous = false, param = 'id', sees = 'read_project' } = options;
  return {
    description: describeProjectAbility(ability, undefined, anonymous),
    ability,
    writes: !isReading(ability),
    anonymous,
    moves: true,
    params: { [param]: Type.String({ description: 'Id or URL-encoded full path of the project.' }) },
    check: async (request) => {
      const { deps, caller } = request;
      const stranger = caller.credential.kind === 'none';
      if (stranger && !anonymous) throw unauthorized();
      const idOrPath = request.params[param]!;
      const projectWithNamespace = await findProject(deps, idOrPath);
      if (projectWithNamespace === undefined) {
        const newPath = await moved(request, idOrPath, 'project');
        const target = newPath === undefined ? undefined : await findProject(deps, newPath);
        if (target !== undefined) {
          const rights = await projectPermissions(deps, caller, target.project, target.namespace);
          if (rights.can('read_project')) redirect(request, 'project', idOrPath, newPath!);
        }
        throw notFound('Project');
      }
      const permissions = await projectPermissions(
        deps,
        caller,
        projectWithNamespace.project,
        projectWithNamespace.namespace,
      );
      requireProjectAbility(permissions, sees, caller);
      requireProjectAbility(permissions, ability, caller);
      const { project, namespace } = projectWithNamespace;
      if (caller.credential.kind !== 'job_token') return { project, namespace, permissions };
      const scope = { project, namespace, permissions, caller: await callerIn(deps, caller, project) };
      return scope;
    },
  };
}

/** As `inProject`, for users only: deploy tokens are refused. Handlers get `caller.user`. */
export function inProjectByUser(
  ability: ProjectAbility,
  options: { sees?: ProjectAbility } = {},
): Access<ProjectScope & { caller: UserCaller }> {
  const access = inProject(ability, options);
  return {
    ...access,
    check: async (request) => {
      const scope = await access.check(request);
      const { caller = request.caller } = scope as Partial<BaseScope>;
      if (caller.user === null) throw forbidden();
      return { ...scope, caller: caller as UserCaller };
    },
  };
}

/**
 * Users who may push to the project, or to one of its branches through a merge request. Handlers get the `actor`, whose
 * rights depend on the branch.
 */
export const pusher: Access<ProjectScope & { caller: UserCaller; actor: Actor & { caller: UserCaller } }> = {
  ...inProject('push_code'),
  description: describeProjectAbility('push_code', 'branch'),
  check: async (request) => {
    const scope = await inProject('read_project').check(request);
    if (request.caller.user === null) throw forbidden();
    const caller = request.caller as UserCaller;
    const actor = { caller, permissions: scope.permissions };
    if (scope.permissions.can('push_code')) return { ...scope, caller, actor };
    const collaborates = await collaborationBranches(request.deps, { ...scope, caller });
    if (collaborates.size === 0 || !scope.permissions.can('push_code', { as: 'collaborator' })) throw forbidden();
    return { ...scope, caller, actor: { ...actor, collaborates } };
  },
};

/**
 * Checks for an ability in a project.
 * @throws ApiError 404 if the project is hidden from the caller; else 403, for anonymous callers 404, or 401 if the
 * ability changes something
 */
export function requireProjectAbility(
  permissions: ProjectPermissions,
  ability: ProjectAbility,
  caller: Pick<Caller, 'credential'>,
): void {
  if (permissions.can(ability)) return;
  if (!permissions.can('read_project')) throw notFound('Project');
  if (caller.credential.kind !== 'none') throw forbidden();
  throw isReading(ability) ? notFound('Project') : unauthorized();
}

/** Callers with an ability in the group of `:id`; hidden groups are 404. */
export function inGroup(
  ability: GroupAbility,
  options: { anonymous?: boolean; param?: string } = {},
): Access<GroupScope> {
  const { anonymous = false, param = 'id' } = options;
  return {
    description: describeGroupAbility(ability, undefined, anonymous),
    ability,
    writes: !isReadingInGroup(ability),
    anonymous,
    moves: true,
    params: { [param]: Type.String({ description: 'Id or URL-encoded full path of the group.' }) },
    check: async (request) => {
      const { deps, caller } = request;
      const stranger = caller.credential.kind === 'none';
      if (stranger && !anonymous) throw unauthorized();
      const idOrPath = request.params[param]!;
      const group = await findNamespace(deps, idOrPath, 'group');
      if (group === undefined) {
        const newPath = await moved(request, idOrPath, 'group');
        const target = newPath === undefined ? undefined : await findNamespace(deps, newPath, 'group');
        if (target !== undefined && (await groupPermissions(deps, caller, target)).can('read_group')) {
          redirect(request, 'group', idOrPath, newPath!);
        }
        throw notFound('Group');
      }
      const permissions = await groupPermissions(deps, caller, group);
      if (!permissions.can('read_group')) throw notFound('Group');
      if (!permissions.can(ability)) throw stranger ? unauthorized() : forbidden();
      return { group, permissions };
    },
  };
}

/** Restricts another check of a project to callers who also have an ability in its group; 403 for others. */
export function withGroupAbility<A extends ProjectScope>(access: Access<A>, ability: GroupAbility): Access<A> {
  return {
    ...access,
    description: `${access.description}. Also takes a right in the group of the project: ${describeGroupAbility(ability)}`,
    check: async (request) => {
      const scope = await access.check(request);
      const { namespace } = scope;
      const closed =
        namespace.kind === 'group' && !(await groupPermissions(request.deps, request.caller, namespace)).can(ability);
      if (closed) throw forbidden();
      return scope;
    },
  };
}
