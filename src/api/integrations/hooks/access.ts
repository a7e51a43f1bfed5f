import type { UserCaller } from '../../../access/caller.ts';
import { forbidden } from '../../../core/errors.ts';
import type { Access } from '../../../http/route.ts';
import { inGroup, inProjectByUser } from '../../access.ts';
import { GROUP_HOOKS, type HookContext, PROJECT_HOOKS } from './place.ts';

type Place = Pick<HookContext, 'caller' | 'place'>;

/** Who manages the hooks of the project or the group of `:id`; handlers get the `place`. */
export function managesHooks(kind: 'project' | 'group'): Access<Place> {
  return kind === 'project' ? ofProject() : ofGroup();
}

function ofProject(): Access<Place> {
  const access = inProjectByUser(PROJECT_HOOKS);
  return {
    ...access,
    check: async (request) => {
      const { caller, project } = await access.check(request);
      return { caller, place: { kind: 'project', id: project.id } };
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
      return { caller: request.caller as UserCaller, place: { kind: 'group', id: group.id } };
    },
  };
}
