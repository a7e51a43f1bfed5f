import { ApiError, unauthorized } from '../../core/core.errors.ts';
import type { Access } from '../../http/http.route.ts';
import { type GroupScope, inGroup, inProject, type ProjectScope } from '../api.access.ts';

/** Callers who may read the packages of the project of `:id`, which can be public in a project that is not. */
export const readsPackages = inProject('read_package', { anonymous: true, sees: 'read_package' });

/**
 * As `readsPackages` for package managers: anonymous callers are challenged with 401, whether the project exists or
 * not.
 */
export const readsRegistry: Access<ProjectScope> = anyCaller(readsPackages);

/**
 * As `readsRegistry` for all projects of the group of `:id` and its subgroups; callers get the packages that they may
 * read.
 */
export const readsGroupRegistry: Access<GroupScope> = anyCaller(inGroup('read_group_packages', { anonymous: true }));

/** Callers who may publish packages with a package manager. */
export const publishes: Access<ProjectScope> = inProject('create_package');

/** Converts each refusal of another check to 401 for anonymous callers. */
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
