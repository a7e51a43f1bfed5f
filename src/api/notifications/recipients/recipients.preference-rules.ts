import {
  type CustomEvent,
  type NotificationLevel,
  ON_BY_DEFAULT,
} from '../notification-settings/notification-settings.levels.ts';
import type { EventKind, Relation } from './candidate.ts';

/** Events that watchers are not notified of. */
const NOT_WATCHED: readonly EventKind[] = [
  'push_to_merge_request',
  'issue_due',
  'success_pipeline',
  'approver',
  'service_account_failed_pipeline',
  'service_account_fixed_pipeline',
  'service_account_success_pipeline',
];
/** Events that participants are notified of by default. */
const NOTIFIED_BY_DEFAULT: readonly EventKind[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];

/** Notification preference of a user in a project. */
export interface NotificationPreference {
  level: NotificationLevel;
  /** Individually enabled and disabled events, for the level `custom`. */
  events: Partial<Record<CustomEvent, boolean>>;
}

/** Whether a preference allows a mail for an event and relation. */
export function wantsNotification(
  { level, events }: NotificationPreference,
  relation: Relation,
  eventKind: EventKind,
): boolean {
  if (relation === 'subscription') return true;
  if (level === 'disabled') return false;
  if (relation === 'mention') return true;
  if (level === 'mention') return false;
  if (relation === 'participating') return true;
  if (level === 'watch') return !NOT_WATCHED.includes(eventKind);
  if (level === 'custom') return isOn(events, eventKind);
  return NOTIFIED_BY_DEFAULT.includes(eventKind);
}

function isOn(events: NotificationPreference['events'], eventKind: EventKind): boolean {
  if (eventKind === null) return false;
  const enabled = events[eventKind] ?? ON_BY_DEFAULT.includes(eventKind);
  return (
    enabled ||
    (eventKind === 'fixed_pipeline' && events.success_pipeline === true) ||
    (eventKind === 'service_account_fixed_pipeline' && events.service_account_success_pipeline === true)
  );
}
