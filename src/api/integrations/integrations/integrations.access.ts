import type { GroupAbility, ProjectAbility } from '../../../access/access.abilities.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility, revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import type { Access } from '../../../http/http.route.ts';
import type { IntegrationOwner } from '../../../integrations/effective-integrations.ts';
import type { IntegrationScope } from '../../../integrations/integrations.save.ts';
import { inGroup, inProjectByUser } from '../../api.access.ts';

const IN_PROJECT = 'admin_integrations' satisfies ProjectAbility;
const IN_GROUP = 'admin_group_integrations' satisfies GroupAbility;

/** Owner of the integrations, in the context of handlers. */
export interface IntegrationContext {
  caller: UserCaller;
  owner: IntegrationOwner;
}

/** Users who may manage the integrations of the project or group of `:id`; handlers get the `owner`. */
export const managesIntegrations = (kind: IntegrationOwner['kind']): Access<IntegrationContext> =>
  kind === 'project' ? ofProject() : ofGroup();

function ofProject(): Access<IntegrationContext> {
  const access = inProjectByUser(IN_PROJECT);
  return {
    ...access,
    check: async (request) => {
      const { caller, project } = await access.check(request);
      return { caller, owner: { kind: 'project', id: project.id } };
    },
  };
}

function ofGroup(): Access<IntegrationContext> {
  const access = inGroup(IN_GROUP);
  return {
    ...access,
    check: async (request) => {
      const { group } = await access.check(request);
      if (request.caller.user === null) throw forbidden();
      return { caller: request.caller as UserCaller, owner: { kind: 'group', id: group.id } };
    },
  };
}

/** Owner of the integrations to change, and the caller. */
export const integrationScopeOf = ({ deps, caller, owner }: IntegrationContext & { deps: Deps }): IntegrationScope => ({
  owner,
  revalidate: (db) =>
    owner.kind === 'project'
      ? revalidateProjectAbility(deps, db, caller, owner.id, IN_PROJECT)
      : revalidateGroupAbility(deps, db, caller, owner.id, IN_GROUP),
});
