import type { DomainEventType } from '../../../core/domain-events.ts';
import { HEADS, TAGS } from '../../../git/ref-folders.ts';
import type { RecordedEvent } from '../../../jobs/events.ts';
import type { SystemTrigger, Trigger } from './types.ts';

/** Kinds of events that hooks of projects and groups are told of. */
export const HOOKED_TYPES = ['push'] as const satisfies readonly DomainEventType[];
/** Kinds of events that system hooks are told of. */
export const SYSTEM_HOOKED_TYPES = ['push'] as const satisfies readonly DomainEventType[];

type Hooked = { [T in (typeof HOOKED_TYPES)[number]]: RecordedEvent<T> & { type: T } }[(typeof HOOKED_TYPES)[number]];
type SystemHooked = {
  [T in (typeof SYSTEM_HOOKED_TYPES)[number]]: RecordedEvent<T> & { type: T };
}[(typeof SYSTEM_HOOKED_TYPES)[number]];

/** Whether hooks of projects and groups are told of a kind of event. */
export const isHooked = (event: RecordedEvent): event is Hooked =>
  (HOOKED_TYPES as readonly string[]).includes(event.type);
/** The same of system hooks. */
export const isSystemHooked = (event: RecordedEvent): event is SystemHooked =>
  (SYSTEM_HOOKED_TYPES as readonly string[]).includes(event.type);

function pushTriggers({ payload }: RecordedEvent<'push'>): ('push' | 'tag_push')[] {
  const moved = (folder: string) => payload.updates.some(({ ref }) => ref.startsWith(folder));
  return [...(moved(HEADS) ? (['push'] as const) : []), ...(moved(TAGS) ? (['tag_push'] as const) : [])];
}

/**
 * The triggers under which hooks of projects and groups may be told of an event. Quick and pure, for it is asked in the
 * transaction of the event; `hookEventsOf` may still find that there is nothing to be told.
 */
export function triggersOf(event: RecordedEvent): readonly Trigger[] {
  return isHooked(event) ? pushTriggers(event) : [];
}

/** The same of system hooks. */
export function systemTriggersOf(event: RecordedEvent): readonly SystemTrigger[] {
  return isSystemHooked(event) ? [...pushTriggers(event), 'repository_update'] : [];
}
