import type { UserCaller } from '../../access/caller.ts';
import type { Access } from '../../http/http.route.ts';
import { requireMirrorsAvailable } from '../../mirroring/available.ts';
import { inProjectByUser, type ProjectScope } from '../api.access.ts';

/** Users who may administer the mirrors of a project; administrators only if the instance is set so. */
export function mirrorAdmin(
  ability: 'admin_pull_mirror' | 'admin_remote_mirror',
): Access<ProjectScope & { caller: UserCaller }> {
  const access = inProjectByUser(ability);
  return {
    ...access,
    check: async (request) => {
      const scope = await access.check(request);
      requireMirrorsAvailable(request.deps, scope.caller);
      return scope;
    },
  };
}
