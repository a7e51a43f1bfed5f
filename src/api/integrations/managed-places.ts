import type { UserCaller } from '../../access/caller.ts';
import { revalidateGroupAbility, revalidateProjectAbility } from '../../access/caller-in-project.ts';
import type { InstanceAbility } from '../../access/instance-abilities.ts';
import { forbidden } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import type { Access } from '../../http/http.route.ts';
import { inGroup, inProjectByUser, onServer } from '../api.access.ts';
import type { SourceAbilities } from '../spaces/index.ts';

/** A project or group that has webhooks and integrations. */
export interface PlaceOwner {
  kind: 'project' | 'group';
  id: number;
}

/** A place whose webhooks or integrations the caller may manage, in the context of handlers. */
export interface ManagedPlace<O> {
  caller: UserCaller;
  owner: O;
  /** Checks the ability again within the transaction of a change. @throws ApiError 401, 403, 404 */
  revalidate(db: Db): Promise<unknown>;
}

/** Users with an ability in the project or group of `:id`. */
export const managesIn = (kind: PlaceOwner['kind'], abilities: SourceAbilities): Access<ManagedPlace<PlaceOwner>> =>
  kind === 'project' ? managesProject(abilities) : managesGroup(abilities);

function managesProject(abilities: SourceAbilities): Access<ManagedPlace<PlaceOwner>> {
  const access = inProjectByUser(abilities.project);
  return {
    ...access,
    check: async (request) => {
      const { caller, project } = await access.check(request);
      return managed(request.deps, caller, { kind: 'project', id: project.id }, abilities);
    },
  };
}

function managesGroup(abilities: SourceAbilities): Access<ManagedPlace<PlaceOwner>> {
  const access = inGroup(abilities.group);
  return {
    ...access,
    check: async (request) => {
      const { group } = await access.check(request);
      if (request.caller.user === null) throw forbidden();
      return managed(request.deps, request.caller as UserCaller, { kind: 'group', id: group.id }, abilities);
    },
  };
}

const managed = (deps: Deps, caller: UserCaller, owner: PlaceOwner, abilities: SourceAbilities) => ({
  caller,
  owner,
  revalidate: (db: Db) =>
    owner.kind === 'project'
      ? revalidateProjectAbility(deps, db, caller, owner.id, abilities.project)
      : revalidateGroupAbility(deps, db, caller, owner.id, abilities.group),
});

const SYSTEM = { owner: { kind: 'system' }, revalidate: async () => {} } as const;

/** Users with an ability on the server, which is only checked when the request is authorized. */
export function managesServer(ability: InstanceAbility): Access<ManagedPlace<{ kind: 'system' }>> {
  const access = onServer(ability);
  return { ...access, check: async (request) => ({ ...(await access.check(request)), ...SYSTEM }) };
}
