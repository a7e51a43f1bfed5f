import type { ApplicationSettings } from './settings-table.ts';

const TEN = 10;
const MINUTE_MS = 60_000;

/** Number of consecutive failures that lock a name, and duration of the lock in milliseconds. */
export interface LockRule {
  failures: number;
  periodMs: number;
}

/** When a user name is locked after failed sign-ins. */
export const lockRule = ({
  max_login_attempts: attempts,
  failed_login_attempts_unlock_period_in_minutes: minutes,
}: ApplicationSettings): LockRule => ({ failures: attempts ?? TEN, periodMs: (minutes ?? TEN) * MINUTE_MS });
