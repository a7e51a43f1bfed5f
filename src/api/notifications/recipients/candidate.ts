import type { CustomEvent } from '../notification-settings/notification-settings.levels.ts';

/** Reasons for a mail, highest first; shown in the mail. */
export const REASONS = ['own_activity', 'assigned', 'review_requested', 'mentioned', 'subscribed'] as const;
export type Reason = (typeof REASONS)[number];

/**
 * Relation of a user to the object of an event, which decides the required notification level: subscriber, mentioned or
 * assigned, participant, or watcher.
 */
export type Relation = 'subscription' | 'mention' | 'participating' | 'watch';

/** A user who may be notified. */
export interface Candidate {
  userId: number;
  relation: Relation;
  reason?: Reason;
}

export const candidates = (userIds: readonly number[], relation: Relation, reason?: Reason): Candidate[] =>
  userIds.map((userId) => ({ userId, relation, ...(reason === undefined ? {} : { reason }) }));

/** The higher of two reasons. */
export function higherReason(a: Reason | undefined, b: Reason | undefined): Reason | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return REASONS.indexOf(a) <= REASONS.indexOf(b) ? a : b;
}

/** Kind of event in notification settings; null for events without a setting. */
export type EventKind = CustomEvent | null;
