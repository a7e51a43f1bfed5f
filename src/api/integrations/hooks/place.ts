import type { GroupAbility, ProjectAbility } from '../../../access/abilities.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { requireStill, requireStillInGroup } from '../../../access/standing.ts';
import type { Deps } from '../../../deps.ts';
import type { HookScope } from '../../../webhooks/save.ts';

/** Who manages the hooks of a project. */
export const PROJECT_HOOKS = 'admin_web_hook' satisfies ProjectAbility;
/** Who manages those of a group. */
export const GROUP_HOOKS = 'admin_group_web_hook' satisfies GroupAbility;

/** What a handler knows of where the hooks are. */
export interface HookContext {
  deps: Deps;
  caller: UserCaller;
  place: { kind: 'project' | 'group'; id: number };
}

/** Whose hooks are changed, and by whom. */
export const scopeOf = ({ deps, caller, place }: HookContext): HookScope => ({
  owner: place,
  stillMay: (db) =>
    place.kind === 'project'
      ? requireStill(deps, db, caller, place.id, PROJECT_HOOKS)
      : requireStillInGroup(deps, db, caller, place.id, GROUP_HOOKS),
});
