import { describeProjectAbility } from '../../../access/ability-words.ts';
import { isReading, type ProjectAbility } from '../../../access/access.abilities.ts';
import { callerIn } from '../../../access/job-token-caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { notFound, unauthorized } from '../../../core/core.errors.ts';
import type { Access } from '../../../http/http.route.ts';
import { type ProjectScope, requireProjectAbility } from '../../api.access.ts';
import { pathOfUser } from './conan.names.ts';

/**
 * Callers with an ability in the project whose full path is the user of the recipe, with `+` instead of `/`, so that a
 * recipe belongs to one project only. A hidden project is 404.
 */
export function inProjectOfUser(ability: ProjectAbility): Access<ProjectScope> {
  const reads = isReading(ability);
  return {
    description: describeProjectAbility(ability, undefined, reads),
    ability,
    writes: !reads,
    anonymous: reads,
    params: {},
    check: async ({ deps, caller, params }) => {
      if (caller.credential.kind === 'none' && !reads) throw unauthorized();
      const path = pathOfUser(params.package_username!);
      // A text without `/` would be taken for the id of a project.
      const owner = path.includes('/') ? await findProject(deps, path) : undefined;
      if (owner === undefined) throw notFound('Project');
      const { project, namespace } = owner;
      const permissions = await projectPermissions(deps, caller, project, namespace);
      requireProjectAbility(permissions, reads ? ability : 'read_project', caller);
      requireProjectAbility(permissions, ability, caller);
      const scope = { project, namespace, permissions, caller: await callerIn(deps, caller, project) };
      return scope;
    },
  };
}
