import type { DefaultedJson, Timestamp } from '../columns.ts';

/** Changed plan limits; a plan without a row has the defaults. */
export interface PlanLimitsTable {
  plan: string;
  /** Changed limits by name. */
  limits: DefaultedJson<Record<string, number>>;
  /** History of changes by limit, oldest first. */
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
