import type { Static, TObject, TProperties } from 'typebox';
import { type AbilityTarget, allowsOn } from '../access/ability-target.ts';
import { whoInProject, whoOnInstance } from '../access/ability-words.ts';
import { hasInstanceRole, isReading, type ProjectAbility } from '../access/access.abilities.ts';
import type { UserCaller } from '../access/caller.ts';
import { INSTANCE_RULES, type InstanceAbility, type InstanceRule } from '../access/instance-abilities.ts';
import { type ApiError, forbidden } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import { checkIn } from '../http/http.errors.ts';
import type { Access } from '../http/http.route.ts';
import { inProjectByUser, type ProjectScope, signedIn } from './api.access.ts';

/** A user in a project: what looking something up in it takes. */
export type UserScope = ProjectScope & { caller: UserCaller };

/** Something inside a project that routes are about: how an address names it, and how callers can stand to it. */
export interface ProjectObject<P extends TProperties, Found extends object> {
  /** As the OpenAPI document calls what relations are to: "issue". */
  noun: string;
  /** Who has not this ability is refused before anything is looked up. */
  sees: ProjectAbility;
  /** The parts of the address that name it. */
  params: P;
  /** @throws ApiError 404 where there is none that the caller may see */
  find(deps: Deps, scope: UserScope, params: Static<TObject<P>>): Promise<Found>;
  /** What decides about abilities on it; nothing beside roles when absent. */
  target?(deps: Deps, found: Found, caller: UserCaller): AbilityTarget;
}

const NO_TARGET: AbilityTarget = { is: () => false };

export interface ObjectOptions<Found extends object> {
  /** Answered instead of 403. */
  refusal?: (scope: UserScope) => ApiError;
  /** What decides beside the table about those who have the ability. @throws ApiError of another refusal */
  further?: (deps: Deps, scope: UserScope & Found) => Promise<boolean>;
}

/**
 * Users who have an ability on an object of the project of `:id`. Handlers find the object in their context. An object that may
 * not be seen in a part that may is 404; the ability is looked at before the body is read, and again when reading it took time.
 */
export function onObject<P extends TProperties, Found extends object>(
  object: ProjectObject<P, Found>,
  ability: ProjectAbility,
  options: ObjectOptions<Found> = {},
): Access<UserScope & Found> {
  const { refusal = () => forbidden(), further } = options;
  const place = inProjectByUser(object.sees);
  return {
    ...place,
    description: whoInProject(ability, object.noun),
    ability,
    writes: !isReading(ability),
    params: { ...place.params, ...object.params },
    check: async (request) => {
      const { deps } = request;
      const scope = await place.check(request);
      return checkIn(scope.project.full_path, async () => {
        const found = await object.find(deps, scope, request.values() as Static<TObject<P>>);
        const target = object.target?.(deps, found, scope.caller) ?? NO_TARGET;
        if (!(await allowsOn(scope.permissions, ability, target))) throw refusal(scope);
        const all = { ...scope, ...found };
        if (further !== undefined && !(await further(deps, all))) throw refusal(scope);
        return all;
      });
    },
  };
}

/** Something that belongs to a user and to no project. */
export interface OwnedObject<P extends TProperties, Found extends object> {
  noun: string;
  params: P;
  /** @throws ApiError 404 where there is none that the caller may see */
  find(deps: Deps, caller: UserCaller, params: Static<TObject<P>>): Promise<Found>;
  /** Id of the user whose own it is. */
  owner(found: Found): number;
}

/** As `onObject`, for what belongs to users: those whose own it is, and whom the table names beside them. */
export function onOwned<P extends TProperties, Found extends object>(
  object: OwnedObject<P, Found>,
  ability: InstanceAbility,
  refusal: () => ApiError = () => forbidden(),
): Access<{ caller: UserCaller } & Found> {
  const { role, relations, writes }: InstanceRule = INSTANCE_RULES[ability];
  return {
    ...signedIn,
    description: whoOnInstance(ability, object.noun),
    ability,
    writes: writes === true,
    params: object.params,
    check: async (request) => {
      const { caller } = await signedIn.check(request);
      const found = await object.find(request.deps, caller, request.values() as Static<TObject<P>>);
      const owns = relations !== undefined && object.owner(found) === caller.user.id;
      if (!owns && !hasInstanceRole(caller, role)) throw refusal();
      return { ...found, caller };
    },
  };
}
