import { HOOK_EVENTS, TRIGGERS, type Trigger } from '../payloads/hook-events.table.ts';
import type { HookKind } from '../payloads/types.ts';

const byKind = <T>(of: (kind: HookKind) => T): Readonly<Record<HookKind, T>> => ({
  project: of('project'),
  group: of('group'),
  system: of('system'),
});

/** Triggers by kind of hook. */
export const HOOK_TRIGGERS = byKind((kind) =>
  TRIGGERS.filter((trigger) => HOOK_EVENTS[trigger].flag[kind] !== undefined),
);

/** Default triggers of new hooks. */
export const DEFAULT_TRIGGERS = byKind((kind) =>
  TRIGGERS.filter((trigger) => HOOK_EVENTS[trigger].flag[kind] === true),
);

export const flagOf = (trigger: string): string => `${trigger}_events`;

/** Names of the flags shown by kind of hook; hooks of projects and groups show one that only system hooks use. */
export const ALL_FLAGS = byKind((kind) =>
  TRIGGERS.filter((trigger) => {
    const { flag, shown = [] } = HOOK_EVENTS[trigger];
    return flag[kind] !== undefined || shown.includes(kind);
  }).map(flagOf),
);

/** The trigger of a flag of a kind. */
export const triggerOf = (kind: HookKind, flag: string): Trigger =>
  HOOK_TRIGGERS[kind].find((trigger) => flagOf(trigger) === flag)!;

/** Returns the given flags of a kind by trigger. */
export function triggersOfInput(kind: HookKind, input: Readonly<Record<string, unknown>>): Record<string, boolean> {
  const attributes = HOOK_TRIGGERS[kind].map((trigger) => [trigger, input[flagOf(trigger)]] as const);
  return Object.fromEntries(attributes.filter((pair): pair is [Trigger, boolean] => typeof pair[1] === 'boolean'));
}
