import { TRIGGERS, type Trigger } from '../payloads/types.ts';

export type HookKind = 'project' | 'group' | 'system';

/** What only hooks of groups are told of. */
const GROUP_TRIGGERS = ['member', 'subgroup', 'project'] as const satisfies readonly Trigger[];
const ofGroups: readonly string[] = GROUP_TRIGGERS;
const shared = TRIGGERS.filter((trigger) => !ofGroups.includes(trigger));

/** What hooks of each kind can be told of. */
export const HOOK_TRIGGERS: Readonly<Record<HookKind, readonly string[]>> = {
  project: shared,
  group: [...shared.filter((trigger) => trigger !== 'vulnerability'), ...GROUP_TRIGGERS],
  system: ['push', 'tag_push', 'merge_requests', 'repository_update'],
};

/** What new hooks are told of unless it is said otherwise. */
export const FIRST_TRIGGERS: Readonly<Record<HookKind, readonly string[]>> = {
  project: ['push'],
  group: ['push'],
  system: ['repository_update'],
};

export const flagOf = (trigger: string): string => `${trigger}_events`;

/** Names of the flags that hooks of a kind show; those of projects and groups have one that only those of the server use. */
export const ALL_FLAGS: Readonly<Record<HookKind, readonly string[]>> = {
  project: [...HOOK_TRIGGERS.project, 'repository_update'].map(flagOf),
  group: [...HOOK_TRIGGERS.group, 'repository_update'].map(flagOf),
  system: HOOK_TRIGGERS.system.map(flagOf),
};

/** By trigger what is given of the flags of a kind. */
export function triggersOfInput(kind: HookKind, input: Readonly<Record<string, unknown>>): Record<string, boolean> {
  const attributes = HOOK_TRIGGERS[kind].map((trigger) => [trigger, input[flagOf(trigger)]] as const);
  return Object.fromEntries(attributes.filter((pair): pair is [string, boolean] => typeof pair[1] === 'boolean'));
}
