import type { Caller } from '../../../access/caller.ts';
import { projectsOfIds } from '../../../access/find-by-id.ts';
import { type ProjectPermissions, projectPermissions, projectPermissionsAt } from '../../../access/permissions.ts';
import { projectAccessLevels } from '../../../access/project-levels.ts';
import { atLevel } from '../../../access/role-permissions.ts';
import { today } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { PackageProject } from './packages.views.ts';

/** Project of a package with the permissions that affect its rendering. */
export const packageProject = (project: Project, permissions: ProjectPermissions): PackageProject => ({
  project,
  mayDelete: permissions.can('destroy_package'),
  seesPipelines: permissions.can('read_pipeline'),
});

/** Loads the projects of packages, by id, with the caller's permissions; a fixed number of queries. */
export async function projectsOfPackages(
  deps: Deps,
  caller: Caller,
  packages: readonly Pick<Package, 'project_id'>[],
): Promise<Map<number, PackageProject>> {
  const ids = [...new Set(packages.map(({ project_id }) => project_id))];
  if (ids.length === 0) return new Map();
  const { db } = deps;
  const projects = await projectsOfIds(db, { ids });
  const namespaces = await rowsById(db, 'namespaces', pluck(projects, 'namespace_id'));
  const { user, admin } = caller;
  const standings =
    user === null || admin ? null : await projectAccessLevels(db, user.id, projects, namespaces, today(deps.clock));
  const places = await Promise.all(
    projects.map(async (project) => {
      // Takes no query for callers without levels.
      const permissions =
        standings === null
          ? await projectPermissions(deps, caller, project, namespaces.get(project.namespace_id)!)
          : projectPermissionsAt(caller, project, standings.get(project.id) ?? atLevel(0));
      return [project.id, packageProject(project, permissions)] as const;
    }),
  );
  return new Map(places);
}
