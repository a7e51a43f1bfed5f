import type { HookSource } from '../../../webhooks/webhooks.source.ts';
import { hookEventsOf, systemEventsOf } from '../payloads/hook-events.ts';
import { HOOKED_TYPES, SYSTEM_HOOKED_TYPES, systemTriggersOf, triggersOf } from '../payloads/triggers.ts';

/** Payloads of webhooks by event. */
export const hookSource: HookSource = {
  types: [...new Set([...HOOKED_TYPES, ...SYSTEM_HOOKED_TYPES])],
  triggersOf,
  systemTriggersOf,
  hookEventsOf,
  systemEventsOf,
};
