import type { Static, TObject, TProperties } from 'typebox';
import { type AbilityTarget, allowsOn } from '../access/ability-target.ts';
import { describeInstanceAbility, describeProjectAbility } from '../access/ability-words.ts';
import { hasInstanceRole, isReading, type ProjectAbility } from '../access/access.abilities.ts';
import type { UserCaller } from '../access/caller.ts';
import { INSTANCE_RULES, type InstanceAbility, type InstanceRule } from '../access/instance-abilities.ts';
import { type ApiError, forbidden } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import { checkIn } from '../http/http.errors.ts';
import type { Access } from '../http/http.route.ts';
import { inProjectByUser, type ProjectScope, signedIn } from './api.access.ts';

/** A project and a user, for loading objects of the project. */
export type UserScope = ProjectScope & { caller: UserCaller };

/** A kind of object within a project: how it is loaded, and how access to it is decided. */
export interface ProjectObject<P extends TProperties, Resolved extends object> {
  /** Noun for descriptions of relations in the OpenAPI document: "issue". */
  noun: string;
  /** Ability required before the object is loaded. */
  sees: ProjectAbility;
  /** Path parameters that identify it. */
  params: P;
  /** @throws ApiError 404 if there is none that the caller may see */
  find(deps: Deps, scope: UserScope, params: Static<TObject<P>>): Promise<Resolved>;
  /** Attributes of the object that abilities depend on; roles only when absent. */
  target?(deps: Deps, resolved: Resolved, caller: UserCaller): AbilityTarget;
}

const NO_TARGET: AbilityTarget = { is: () => false };

export interface ObjectOptions<Resolved extends object> {
  /** Refusal instead of 403. */
  refusal?: (scope: UserScope) => ApiError;
  /** Condition in addition to the ability. @throws ApiError for a different refusal */
  further?: (deps: Deps, scope: UserScope & Resolved) => Promise<boolean>;
}

/**
 * Users with an ability on an object of the project of `:id`. Handlers find the object in their context. A hidden
 * object in a visible part of the project is 404. The ability is checked before the body is read, and again if reading
 * takes time.
 */
export function onObject<P extends TProperties, Resolved extends object>(
  object: ProjectObject<P, Resolved>,
  ability: ProjectAbility,
  options: ObjectOptions<Resolved> = {},
): Access<UserScope & Resolved> {
  const { refusal = () => forbidden(), further } = options;
  const access = inProjectByUser(object.sees);
  return {
    ...access,
    description: describeProjectAbility(ability, object.noun),
    ability,
    writes: !isReading(ability),
    params: { ...access.params, ...object.params },
    check: async (request) => {
      const { deps } = request;
      const scope = await access.check(request);
      return checkIn(scope.project.full_path, async () => {
        const resolved = await object.find(deps, scope, request.values() as Static<TObject<P>>);
        const target = object.target?.(deps, resolved, scope.caller) ?? NO_TARGET;
        if (!(await allowsOn(scope.permissions, ability, target))) throw refusal(scope);
        const all = { ...scope, ...resolved };
        if (further !== undefined && !(await further(deps, all))) throw refusal(scope);
        return all;
      });
    },
  };
}

/** A kind of object that belongs to a user instead of a project. */
export interface OwnedObject<P extends TProperties, Resolved extends object> {
  noun: string;
  params: P;
  /** @throws ApiError 404 if there is none that the caller may see */
  find(deps: Deps, caller: UserCaller, params: Static<TObject<P>>): Promise<Resolved>;
  /** Id of the owner. */
  owner(resolved: Resolved): number;
}

/** As `onObject`, for objects of users: their owner, and users whom the table of abilities allows. */
export function onOwned<P extends TProperties, Resolved extends object>(
  object: OwnedObject<P, Resolved>,
  ability: InstanceAbility,
  refusal: () => ApiError = () => forbidden(),
): Access<{ caller: UserCaller } & Resolved> {
  const { role, relations, writes }: InstanceRule = INSTANCE_RULES[ability];
  return {
    ...signedIn,
    description: describeInstanceAbility(ability, object.noun),
    ability,
    writes: writes === true,
    params: object.params,
    check: async (request) => {
      const { caller } = await signedIn.check(request);
      const resolved = await object.find(request.deps, caller, request.values() as Static<TObject<P>>);
      const owns = relations !== undefined && object.owner(resolved) === caller.user.id;
      if (!owns && !hasInstanceRole(caller, role)) throw refusal();
      return { ...resolved, caller };
    },
  };
}
