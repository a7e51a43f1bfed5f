import type { DefaultedJson, Timestamp } from '../columns.ts';

/** What an administrator changed of the limits of a plan; a plan without a row has all its defaults. */
export interface PlanLimitsTable {
  plan: string;
  /** Limits by name, those that were changed. */
  limits: DefaultedJson<Record<string, number>>;
  /** Who changed what, by name, the oldest first. */
  history: DefaultedJson<Record<string, LimitChange[]>>;
  updated_at: Timestamp;
}

/** A change of one limit. */
export interface LimitChange {
  /** Seconds since 1970. */
  timestamp: number;
  user_id: number;
  username: string;
  value: number;
}
