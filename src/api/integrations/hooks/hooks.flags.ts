import { TRIGGERS, type Trigger } from '../payloads/types.ts';

export type HookKind = 'project' | 'group' | 'system';

/** Triggers of group hooks only. */
const GROUP_TRIGGERS = ['member', 'subgroup', 'project'] as const satisfies readonly Trigger[];
const ofGroups: readonly string[] = GROUP_TRIGGERS;
const shared = TRIGGERS.filter((trigger) => !ofGroups.includes(trigger));

/** Triggers by kind of hook. */
export const HOOK_TRIGGERS: Readonly<Record<HookKind, readonly string[]>> = {
  project: shared,
  group: [...shared.filter((trigger) => trigger !== 'vulnerability'), ...GROUP_TRIGGERS],
  system: ['push', 'tag_push', 'merge_requests', 'repository_update'],
};

/** Default triggers of new hooks. */
export const FIRST_TRIGGERS: Readonly<Record<HookKind, readonly string[]>> = {
  project: ['push'],
  group: ['push'],
  system: ['repository_update'],
};

export const flagOf = (trigger: string): string => `${trigger}_events`;

/** Names of the flags shown by kind of hook; hooks of projects and groups show one that only system hooks use. */
export const ALL_FLAGS: Readonly<Record<HookKind, readonly string[]>> = {
  project: [...HOOK_TRIGGERS.project, 'repository_update'].map(flagOf),
  group: [...HOOK_TRIGGERS.group, 'repository_update'].map(flagOf),
  system: HOOK_TRIGGERS.system.map(flagOf),
};

/** Returns the given flags of a kind by trigger. */
export function triggersOfInput(kind: HookKind, input: Readonly<Record<string, unknown>>): Record<string, boolean> {
  const attributes = HOOK_TRIGGERS[kind].map((trigger) => [trigger, input[flagOf(trigger)]] as const);
  return Object.fromEntries(attributes.filter((pair): pair is [string, boolean] => typeof pair[1] === 'boolean'));
}
