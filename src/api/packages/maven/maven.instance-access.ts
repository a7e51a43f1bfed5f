import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { forbidden, unauthorized } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Access } from '../../../http/http.route.ts';
import { findVersion } from '../../../packages/package-registry.find.ts';
import { type MavenFile, readMavenFile } from './maven.paths.ts';

/**
 * Callers who may read the packages of the project whose full path is the name of the package, so that a name belongs
 * to one project only. For all others the package does not exist.
 */
export const readsProjectOfName: Access<{ project: Project }> = {
  description: 'Everyone who may read the packages of the project whose path is the name of the package',
  anonymous: true,
  params: {},
  check: async ({ deps, caller, params }) => {
    const at = readMavenFile(params.maven_path!);
    const project = at === undefined ? undefined : await findProject(deps, at.name);
    const permissions =
      project === undefined ? undefined : await projectPermissions(deps, caller, project.project, project.namespace);
    if (permissions?.can('read_package') && (await isThere(deps, project!.project, at!))) {
      return { project: project!.project };
    }
    throw caller.credential.kind === 'none' ? unauthorized() : forbidden();
  },
};

async function isThere(deps: Deps, { id: projectId }: Project, { name, version }: MavenFile): Promise<boolean> {
  const key = { type: 'maven', nameKey: name, versionKey: version ?? '' };
  return (await findVersion(deps.db, { projectId }, key)) !== undefined;
}
