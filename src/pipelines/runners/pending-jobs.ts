import { randomBytes } from 'node:crypto';
import type { Db } from '../../db/db.schema.ts';
import { afterCommit } from '../../db/transactions.ts';
import type { Deps } from '../../deps.ts';
import { PENDING_JOBS } from '../job-kinds.ts';

interface Turns {
  /** Tells the values of this process from those of another one. */
  readonly origin: string;
  count: number;
}

/** How often something changed for those who look for jobs, as this process knows. */
const turns = new WeakMap<Db, Turns>();

function turnsOf({ db }: Pick<Deps, 'db'>): Turns {
  const known = turns.get(db);
  if (known !== undefined) return known;
  const fresh = { origin: randomBytes(8).toString('hex'), count: 0 };
  turns.set(db, fresh);
  return fresh;
}

/** A text that is another one whenever there may be a job for somebody who found none before. */
export function pendingJobsState(deps: Pick<Deps, 'db'>): string {
  const { origin, count } = turnsOf(deps);
  return `${origin}${count.toString(16)}`;
}

/** Lets all who look for jobs look again, now. */
export function wakeRunners(deps: Pick<Deps, 'db' | 'longPolls'>): void {
  turnsOf(deps).count += 1;
  deps.longPolls.wake(PENDING_JOBS);
}

/** The same once a transaction has committed: jobs have come to wait, or a runner takes others than before. */
export const wakeRunnersAfter = (deps: Pick<Deps, 'db' | 'longPolls'>, db: Db): void =>
  afterCommit(db, () => wakeRunners(deps));
