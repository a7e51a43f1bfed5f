import type { UserCaller } from '../../../access/caller.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { Access } from '../../../http/http.route.ts';
import { inGroup, inProjectByUser } from '../../api.access.ts';
import { GROUP_HOOKS, type HookContext, PROJECT_HOOKS } from './hook-owner.ts';

type Place = Pick<HookContext, 'caller' | 'owner'>;

/** Users who may manage the hooks of the project or group of `:id`; handlers get the `owner`. */
export function managesHooks(kind: 'project' | 'group'): Access<Place> {
  return kind === 'project' ? ofProject() : ofGroup();
}

function ofProject(): Access<Place> {
  const access = inProjectByUser(PROJECT_HOOKS);
  return {
    ...access,
    check: async (request) => {
      const { caller, project } = await access.check(request);
      return { caller, owner: { kind: 'project', id: project.id } };
    },
  };
}

function ofGroup(): Access<Place> {
  const access = inGroup(GROUP_HOOKS);
  return {
    ...access,
    check: async (request) => {
      const { group } = await access.check(request);
      if (request.caller.user === null) throw forbidden();
      return { caller: request.caller as UserCaller, owner: { kind: 'group', id: group.id } };
    },
  };
}
