import type { GroupAbility, ProjectAbility } from '../../../access/abilities.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { requireStill, requireStillInGroup } from '../../../access/standing.ts';
import { forbidden } from '../../../core/errors.ts';
import type { Deps } from '../../../deps.ts';
import type { Access } from '../../../http/route.ts';
import type { IntegrationPlace } from '../../../integrations/in-force.ts';
import type { IntegrationScope } from '../../../integrations/save.ts';
import { inGroup, inProjectByUser } from '../../access.ts';

const IN_PROJECT = 'admin_integrations' satisfies ProjectAbility;
const IN_GROUP = 'admin_group_integrations' satisfies GroupAbility;

/** What a handler knows of where the integrations are. */
export interface IntegrationContext {
  caller: UserCaller;
  place: IntegrationPlace;
}

/** Who manages the integrations of the project or the group of `:id`; handlers get the `place`. */
export const managesIntegrations = (kind: IntegrationPlace['kind']): Access<IntegrationContext> =>
  kind === 'project' ? ofProject() : ofGroup();

function ofProject(): Access<IntegrationContext> {
  const access = inProjectByUser(IN_PROJECT);
  return {
    ...access,
    check: async (request) => {
      const { caller, project } = await access.check(request);
      return { caller, place: { kind: 'project', id: project.id } };
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
      return { caller: request.caller as UserCaller, place: { kind: 'group', id: group.id } };
    },
  };
}

/** Whose integrations are changed, and by whom. */
export const scopeOf = ({ deps, caller, place }: IntegrationContext & { deps: Deps }): IntegrationScope => ({
  place,
  stillMay: (db) =>
    place.kind === 'project'
      ? requireStill(deps, db, caller, place.id, IN_PROJECT)
      : requireStillInGroup(deps, db, caller, place.id, IN_GROUP),
});
