import { type CustomEvent, type NotificationLevel, ON_BY_DEFAULT } from '../notification-settings/levels.ts';
import type { Happening, Tie } from './candidate.ts';

/** What those who watch a place are not told of. */
const NOT_WATCHED: readonly Happening[] = [
  'push_to_merge_request',
  'issue_due',
  'success_pipeline',
  'approver',
  'service_account_failed_pipeline',
  'service_account_fixed_pipeline',
  'service_account_success_pipeline',
];
/** What is told to those who take part, without their doing anything for it. */
const TOLD_TO_ALL: readonly Happening[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];

/** How much somebody wants to be mailed of in a place. */
export interface Wish {
  level: NotificationLevel;
  /** What they have switched on and off one by one, with the level `custom`. */
  events: Partial<Record<CustomEvent, boolean>>;
}

/** Whether somebody wants a mail of something that they are tied to in this way. */
export function wants({ level, events }: Wish, tie: Tie, happening: Happening): boolean {
  if (tie === 'subscription') return true;
  if (level === 'disabled') return false;
  if (tie === 'mention') return true;
  if (level === 'mention') return false;
  if (tie === 'participating') return true;
  if (level === 'watch') return !NOT_WATCHED.includes(happening);
  if (level === 'custom') return isOn(events, happening);
  return TOLD_TO_ALL.includes(happening);
}

function isOn(events: Wish['events'], happening: Happening): boolean {
  if (happening === null) return false;
  const said = events[happening] ?? ON_BY_DEFAULT.includes(happening);
  return (
    said ||
    (happening === 'fixed_pipeline' && events.success_pipeline === true) ||
    (happening === 'service_account_fixed_pipeline' && events.service_account_success_pipeline === true)
  );
}
