import { Type } from 'typebox';
import { describeProjectAbility } from '../../../access/ability-words.ts';
import { isReading, type ProjectAbility } from '../../../access/access.abilities.ts';
import type { Caller } from '../../../access/caller.ts';
import { callerInProject } from '../../../access/caller-in-project.ts';
import { callerIn } from '../../../access/job-token-caller.ts';
import { forbidden, notFound, unauthorized } from '../../../core/core.errors.ts';
import { equalsIgnoringCase } from '../../../db/like.ts';
import type { Deps } from '../../../deps.ts';
import type { Access, AccessRequest } from '../../../http/http.route.ts';
import { installable, type PackageSource } from '../../../packages/package-registry.find.ts';
import { readablePackages } from '../../../packages/package-registry.readable.ts';
import { anyone, inProject } from '../../api.access.ts';
import { anyCaller, readsGroupRegistry, readsRegistry } from '../registries.access.ts';
import { accessForNpm } from './npm.errors.ts';
import { scopeOf } from './npm.names.ts';

/** Source of packages, in the context of handlers of reading routes. */
export interface PackageReadScope {
  source: PackageSource;
}

/** Project in which a package is changed. */
export interface PackageWriteScope {
  projectId: number;
  /** Caller with their rights there. */
  caller: Caller;
}

/** A registry URL for npm, with its access checks. */
export interface RegistryEndpoint {
  /** Path of its routes, below the API. */
  path: string;
  /** Noun in operation ids and summaries. */
  noun: 'Project' | 'Group' | 'Instance';
  /** Callers who may use it at all. */
  accessible: Access;
  readable: Access<PackageReadScope>;
  /** Callers with an ability in the project of the named package. */
  writable(ability: ProjectAbility): Access<PackageWriteScope>;
}

/** Finds the readable projects of a request. */
type Find = (request: AccessRequest) => Promise<PackageSource>;

const PACKAGE_NAME = 'package_name';

/** The same access with another context. */
function finding<A extends object, B extends object>(
  access: Access<A>,
  find: (request: AccessRequest, context: A) => Promise<B>,
): Access<B> {
  return { ...access, check: async (request) => find(request, await access.check(request)) };
}

/** Callers with an ability in the project of the newest readable version of a package. */
function changesResolvedPackage(access: Access, find: Find, ability: ProjectAbility): Access<PackageWriteScope> {
  return accessForNpm({
    ...access,
    description: describeProjectAbility(ability),
    ability,
    writes: !isReading(ability),
    anonymous: false,
    check: async (request) => {
      const { deps, caller } = request;
      if (caller.credential.kind === 'none') throw unauthorized();
      await access.check(request);
      const nameKey = request.params[PACKAGE_NAME]!;
      const newest = await installable(deps.db, await find(request), { type: 'npm', nameKey })
        .select('packages.project_id')
        .orderBy('packages.id', 'desc')
        .limit(1)
        .executeTakeFirst();
      const scope = newest && (await callerInProject(deps, caller, newest.project_id));
      if (scope === undefined) throw notFound('Package');
      if (!scope.permissions.can(ability)) throw forbidden();
      return { projectId: scope.project.id, caller: await callerIn(deps, caller, scope.project) };
    },
  });
}

const project: RegistryEndpoint = {
  path: '/projects/:id/packages/npm',
  noun: 'Project',
  accessible: accessForNpm(readsRegistry),
  readable: accessForNpm(finding(readsRegistry, async (_request, scope) => ({ ...scope, source: sourceOf(scope) }))),
  writable: (ability) =>
    accessForNpm(
      finding(inProject(ability), async (request, scope) => ({
        ...scope,
        projectId: scope.project.id,
        caller: await callerIn(request.deps, request.caller, scope.project),
      })),
    ),
};

const sourceOf = (scope: { project: { id: number } }): PackageSource => ({ projectId: scope.project.id });

const inThatGroup: Find = async (request) => {
  const { group } = await readsGroupRegistry.check(request);
  return { readable: await readablePackages(request.deps, request.caller, { group }) };
};

const group: RegistryEndpoint = {
  path: '/groups/:id/-/packages/npm',
  noun: 'Group',
  accessible: accessForNpm(readsGroupRegistry),
  readable: accessForNpm(finding(readsGroupRegistry, async (request) => ({ source: await inThatGroup(request) }))),
  writable: (ability) => changesResolvedPackage(readsGroupRegistry, inThatGroup, ability),
};

/** Finds scoped packages in the top-level namespace named by the scope; none without a scope. */
const underItsScope: Find = async ({ deps, caller, params }) => {
  const scope = scopeOf(params[PACKAGE_NAME]!);
  if (scope === null) throw notFound('Packages');
  const root = await rootOf(deps, scope);
  if (root === undefined) throw notFound('Packages');
  return { readable: await readablePackages(deps, caller, { group: root }) };
};

/** Query for the top-level namespace of a path, which may consist of digits. */
const rootOf = ({ db }: Deps, path: string) =>
  db
    .selectFrom('namespaces')
    .selectAll()
    .where((eb) => equalsIgnoringCase(eb.ref('full_path'), path))
    .executeTakeFirst();

const instance: RegistryEndpoint = {
  path: '/packages/npm',
  noun: 'Instance',
  accessible: anyone,
  readable: accessForNpm(anyCaller(finding(anyone, async (request) => ({ source: await underItsScope(request) })))),
  writable: (ability) => changesResolvedPackage(anyone, underItsScope, ability),
};

export const REGISTRY_ENDPOINTS: readonly RegistryEndpoint[] = [project, group, instance];

export const packageName = {
  [PACKAGE_NAME]: Type.String({ description: 'Name of the package, including its scope.' }),
};
