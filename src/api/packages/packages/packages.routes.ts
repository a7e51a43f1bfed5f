import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { destroyPackages } from '../../../packages/package-registry.destroy.ts';
import { inGroup, inProject } from '../../api.access.ts';
import { readsPackages } from '../registries.access.ts';
import {
  DEPLOY_TOKEN_CREDENTIALS,
  READ_PACKAGES,
  WITH_DEPLOY_AND_JOB_TOKENS,
  WRITE_PACKAGES,
} from '../registries.credentials.ts';
import { packagesOfGroup } from './group-list.ts';
import { packageProject, projectsOfPackages } from './package-projects.ts';
import { DETAILED, findPackage } from './packages.find.ts';
import { listGroupPackages, listPackages, PackageId } from './packages.inputs.ts';
import { packagesOfProject } from './packages.list.ts';
import { GroupPackage, Package, PackageListEntry } from './packages.responses.ts';
import { presentGroupPackages, presentPackage, presentPackages } from './packages.views.ts';

const shared = { tag: 'Packages', credentials: WITH_DEPLOY_AND_JOB_TOKENS } as const;
const ONE = '/projects/:id/packages/:package_id';

/** Packages of all types (part 1, section 4.7). */
export const packageRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: '/projects/:id/packages',
    summary: 'List the packages of a project',
    access: readsPackages,
    scopes: READ_PACKAGES,
    input: listPackages,
    success: { status: 200, schema: Type.Array(PackageListEntry) },
    handler: (c) => {
      const { deps, project } = c;
      return c.page(
        (page) => packagesOfProject(deps.db, project.id, c.input, page),
        (rows) => presentPackages(deps, rows, new Map([[project.id, packageProject(project, c.permissions)]])),
      );
    },
  }),
  route({
    ...shared,
    credentials: DEPLOY_TOKEN_CREDENTIALS,
    method: 'GET',
    path: '/groups/:id/packages',
    summary: 'List the packages of a group',
    description: 'Packages of projects of the group and its subgroups that the caller may read.',
    access: inGroup('read_group_packages', { anonymous: true }),
    scopes: READ_PACKAGES,
    input: listGroupPackages,
    success: { status: 200, schema: Type.Array(GroupPackage) },
    handler: (c) => {
      const { deps, caller } = c;
      return c.page(
        (page) => packagesOfGroup(deps, caller, c.group, c.input, page),
        async (listed) => {
          const places = await projectsOfPackages(deps, caller, listed);
          // A project may have been deleted meanwhile.
          const rows = listed.filter(({ project_id }) => places.has(project_id));
          return presentGroupPackages(deps, rows, places);
        },
      );
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: ONE,
    summary: 'Get a package',
    description: 'Only packages with the status `default` or `deprecated`.',
    access: readsPackages,
    scopes: READ_PACKAGES,
    params: PackageId,
    success: { status: 200, schema: Package },
    handler: async ({ deps, project, permissions, params }) => {
      const row = await findPackage(deps.db, project.id, params.package_id, DETAILED);
      return presentPackage(deps, row, packageProject(project, permissions));
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a package',
    description: 'Takes effect immediately and deletes all its files.',
    access: inProject('destroy_package'),
    scopes: WRITE_PACKAGES,
    params: PackageId,
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, caller, project, params, request }) => {
      await destroyPackages(deps, { caller, projectId: project.id }, [params.package_id], {
        check: ({ updated_at }) => checkUnmodifiedSince(request, updated_at),
      });
    },
  }),
];
