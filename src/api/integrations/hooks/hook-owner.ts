import type { GroupAbility, ProjectAbility } from '../../../access/access.abilities.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility, revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import type { Deps } from '../../../deps.ts';
import type { HookScope } from '../../../webhooks/webhooks.save.ts';

/** Ability for managing the hooks of a project. */
export const PROJECT_HOOKS = 'admin_web_hook' satisfies ProjectAbility;
/** Ability for managing the hooks of a group. */
export const GROUP_HOOKS = 'admin_group_web_hook' satisfies GroupAbility;

/** Owner of the hooks, in the context of handlers. */
export interface HookContext {
  deps: Deps;
  caller: UserCaller;
  owner: { kind: 'project' | 'group'; id: number };
}

/** Owner of the hooks to change, and the caller. */
export const hookScopeOf = ({ deps, caller, owner }: HookContext): HookScope => ({
  owner,
  revalidate: (db) =>
    owner.kind === 'project'
      ? revalidateProjectAbility(deps, db, caller, owner.id, PROJECT_HOOKS)
      : revalidateGroupAbility(deps, db, caller, owner.id, GROUP_HOOKS),
});
