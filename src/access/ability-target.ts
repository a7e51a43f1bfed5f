import type { Circumstances, Relation } from './ability-rule.ts';
import { type ProjectAbility, relationsOf } from './access.abilities.ts';
import type { ProjectPermissions } from './permissions.ts';

/** The object of an ability, with the facts that decide who may use it. */
export interface AbilityTarget extends Omit<Circumstances, 'as'> {
  /** Whether the caller has a relation to it; only called if that matters. */
  is(relation: Relation): boolean | Promise<boolean>;
}

/** Whether the caller has the ability for the object, by their role or a relation. */
export async function allowsOn(
  permissions: Pick<ProjectPermissions, 'can'>,
  ability: ProjectAbility,
  { is, ...on }: AbilityTarget,
): Promise<boolean> {
  if (permissions.can(ability, on)) return true;
  for (const as of relationsOf(ability)) {
    if (permissions.can(ability, { ...on, as }) && (await is(as))) return true;
  }
  return false;
}
