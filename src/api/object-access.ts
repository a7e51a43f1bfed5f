import type { Static, TObject, TProperties } from 'typebox';
import { hasInstanceRole } from '../access/abilities.ts';
import { whoOnInstance } from '../access/ability-words.ts';
import type { UserCaller } from '../access/caller.ts';
import { INSTANCE_RULES, type InstanceAbility, type InstanceRule } from '../access/instance-abilities.ts';
import { type ApiError, forbidden } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import type { Access } from '../http/route.ts';
import { signedIn } from './access.ts';

/** Something that belongs to a user and to no project. */
export interface OwnedObject<P extends TProperties, Found extends object> {
  noun: string;
  params: P;
  /** @throws ApiError 404 where there is none that the caller may see */
  find(deps: Deps, caller: UserCaller, params: Static<TObject<P>>): Promise<Found>;
  /** Id of the user whose own it is. */
  owner(found: Found): number;
}

/** Those whose own an object is, and whom the table names beside them; it is looked up before the body is read. */
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
