import type { CustomEvent } from '../notification-settings/notification-settings.levels.ts';

/** Why somebody gets a mail, the highest first; the mail says so. */
export const REASONS = ['own_activity', 'assigned', 'review_requested', 'mentioned', 'subscribed'] as const;
export type Reason = (typeof REASONS)[number];

/**
 * How somebody comes to be told of something, which decides from which level on they are: they follow it, they are named in it or
 * given it, they take part in it, or they watch its place.
 */
export type Relation = 'subscription' | 'mention' | 'participating' | 'watch';

/** Somebody who may be told of something. */
export interface Candidate {
  userId: number;
  relation: Relation;
  reason?: Reason;
}

export const candidates = (userIds: readonly number[], relation: Relation, reason?: Reason): Candidate[] =>
  userIds.map((userId) => ({ userId, relation, ...(reason === undefined ? {} : { reason }) }));

/** The one of two reasons that is said. */
export function higherReason(a: Reason | undefined, b: Reason | undefined): Reason | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return REASONS.indexOf(a) <= REASONS.indexOf(b) ? a : b;
}

/** What happened, as settings name it; null for what no setting names. */
export type EventKind = CustomEvent | null;
