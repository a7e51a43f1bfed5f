import { randomBytes } from 'node:crypto';
import type { Db } from '../../db/db.schema.ts';
import { afterCommit } from '../../db/transactions.ts';
import type { Deps } from '../../deps.ts';
import { PENDING_JOBS } from '../job-kinds.ts';

interface Turns {
  /** Distinguishes the values of this process from those of others. */
  readonly origin: string;
  count: number;
}

/** Number of changes for waiting runners, as known to this process. */
const turns = new WeakMap<Db, Turns>();

function turnsOf({ db }: Pick<Deps, 'db'>): Turns {
  const known = turns.get(db);
  if (known !== undefined) return known;
  const fresh = { origin: randomBytes(8).toString('hex'), count: 0 };
  turns.set(db, fresh);
  return fresh;
}

/** A string that changes whenever there may be a job for a runner that found none before. */
export function pendingJobsState(deps: Pick<Deps, 'db'>): string {
  const { origin, count } = turnsOf(deps);
  return `${origin}${count.toString(16)}`;
}

/** Wakes all requests that wait for jobs. */
export function wakeRunners(deps: Pick<Deps, 'db' | 'longPolls'>): void {
  turnsOf(deps).count += 1;
  deps.longPolls.wake(PENDING_JOBS);
}

/** Wakes them once a transaction has committed: jobs became pending, or a runner accepts other jobs than before. */
export const wakeRunnersAfter = (deps: Pick<Deps, 'db' | 'longPolls'>, db: Db): void =>
  afterCommit(db, () => wakeRunners(deps));
