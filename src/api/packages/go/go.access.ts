import { forbidden, notFound, unauthorized } from '../../../core/core.errors.ts';
import type { Access } from '../../../http/http.route.ts';
import type { ProjectScope } from '../../api.access.ts';
import { readsRegistry } from '../registries.access.ts';

/** Callers who may download modules of a project: modules are code, so access to packages alone is not enough. */
export const readsModules: Access<ProjectScope> = {
  ...readsRegistry,
  description: `${readsRegistry.description}, and its code; deploy tokens need the scope \`read_repository\` as well`,
  check: async (request) => {
    const scope = await readsRegistry.check(request);
    const { credential, scopes } = request.caller;
    const isForCode = credential.kind !== 'deploy_token' || scopes?.includes('read_repository');
    if (isForCode && scope.permissions.can('read_code')) return scope;
    if (request.caller.credential.kind === 'none') throw unauthorized();
    throw scope.permissions.can('read_project') ? forbidden() : notFound('Project');
  },
};
