import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/events.ts';
import { pushHookEvents, pushSystemEvents } from './push.ts';
import { isHooked, isSystemHooked } from './triggers.ts';
import type { HookEvent, SystemEvent } from './types.ts';

/**
 * What hooks of projects and groups are told of an event: its messages, ready to be sent. Empty where there is nothing to
 * be told, or what it is about is gone without a trace.
 * @throws GitError where a repository cannot be asked at the moment
 */
export async function hookEventsOf(deps: Deps, event: RecordedEvent): Promise<HookEvent[]> {
  if (!isHooked(event)) return [];
  switch (event.type) {
    case 'push':
      return pushHookEvents(deps, event);
  }
}

/** The same of system hooks. */
export async function systemEventsOf(deps: Deps, event: RecordedEvent): Promise<SystemEvent[]> {
  if (!isSystemHooked(event)) return [];
  switch (event.type) {
    case 'push':
      return pushSystemEvents(deps, event);
  }
}
