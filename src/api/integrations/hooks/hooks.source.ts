import type { HookSource } from '../../../webhooks/webhooks.source.ts';
import { hookEventsOf, systemEventsOf } from '../payloads/hook-events.ts';
import { HOOKED_TYPES, SYSTEM_HOOKED_TYPES, systemTriggersOf, triggersOf } from '../payloads/triggers.ts';

/** What webhooks are told of which events. */
export const hookSource: HookSource = {
  types: [...new Set([...HOOKED_TYPES, ...SYSTEM_HOOKED_TYPES])],
  triggersOf,
  systemTriggersOf,
  hookEventsOf,
  systemEventsOf,
};
