import { Type } from 'typebox';
import { whoInProject } from '../../../access/ability-words.ts';
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

/** Where packages are read: what handlers of reading routes find in their context. */
export interface PackageReadScope {
  source: PackageSource;
}

/** The project in which a package is changed. */
export interface PackageWriteScope {
  projectId: number;
  /** Who the caller is there. */
  caller: Caller;
}

/** One of the addresses that npm can be given as its registry, with who may do what below it. */
export interface RegistryEndpoint {
  /** Of its routes, below the API. */
  path: string;
  /** In the names and sentences of its operations. */
  noun: 'Project' | 'Group' | 'Instance';
  /** Callers who may ask there at all. */
  accessible: Access;
  readable: Access<PackageReadScope>;
  /** Callers who have an ability in the project of the package that is named. */
  writable(ability: ProjectAbility): Access<PackageWriteScope>;
}

/** The projects of one source of packages, with who asks. */
type Find = (request: AccessRequest) => Promise<PackageSource>;

const PACKAGE_NAME = 'package_name';

/** The same access, that finds something else. */
function finding<A extends object, B extends object>(
  access: Access<A>,
  find: (request: AccessRequest, found: A) => Promise<B>,
): Access<B> {
  return { ...access, check: async (request) => find(request, await access.check(request)) };
}

/** Who has an ability in the project that the newest version of a package is in, of those that the caller may read. */
function changesFound(access: Access, find: Find, ability: ProjectAbility): Access<PackageWriteScope> {
  return accessForNpm({
    ...access,
    description: whoInProject(ability),
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
  writable: (ability) => changesFound(readsGroupRegistry, inThatGroup, ability),
};

/** Packages of a scope are looked for in the top-level namespace of that name; without a scope there are none. */
const underItsScope: Find = async ({ deps, caller, params }) => {
  const scope = scopeOf(params[PACKAGE_NAME]!);
  if (scope === null) throw notFound('Packages');
  const root = await rootOf(deps, scope);
  if (root === undefined) throw notFound('Packages');
  return { readable: await readablePackages(deps, caller, { group: root }) };
};

/** The top-level namespace of a path, which may be all digits. */
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
  writable: (ability) => changesFound(anyone, underItsScope, ability),
};

export const REGISTRY_ENDPOINTS: readonly RegistryEndpoint[] = [project, group, instance];

export const packageName = { [PACKAGE_NAME]: Type.String({ description: 'Name of the package, its scope included.' }) };
