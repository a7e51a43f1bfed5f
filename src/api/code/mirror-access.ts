import type { UserCaller } from '../../access/caller.ts';
import type { Access } from '../../http/http.route.ts';
import { requireMirrorsAvailable } from '../../mirroring/available.ts';
import { inProjectByUser, type ProjectScope } from '../api.access.ts';

/** Those who administer the mirrors of a project, while administrators let others than themselves do so. */
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
