import { ApiError, unauthorized } from '../../core/core.errors.ts';
import type { Access } from '../../http/http.route.ts';
import { type GroupScope, inGroup, inProject, type ProjectScope } from '../api.access.ts';

/** Callers who may read the packages of the project of `:id`, which can be open to everybody where the project is not. */
export const readsPackages = inProject('read_package', { anonymous: true, sees: 'read_package' });

/**
 * The same for the tools of registries: whoever does not say who they are, is asked to (401), whether there is such a project
 * or not.
 */
export const readsRegistry: Access<ProjectScope> = anyCaller(readsPackages);

/** The same for the packages of all projects in or below the group of `:id`, of which callers get those that they may read. */
export const readsGroupRegistry: Access<GroupScope> = anyCaller(inGroup('read_group_packages', { anonymous: true }));

/** Who may publish packages with such a tool. */
export const publishes: Access<ProjectScope> = inProject('create_package');

/** Of who is let in by another check; for anonymous callers each refusal of it is 401. */
export function anyCaller<A extends object>(access: Access<A>): Access<A> {
  return {
    ...access,
    check: async (request) => {
      try {
        return await access.check(request);
      } catch (error) {
        const refused = error instanceof ApiError && (error.status === 404 || error.status === 403);
        if (refused && request.caller.credential.kind === 'none') throw unauthorized();
        throw error;
      }
    },
  };
}
