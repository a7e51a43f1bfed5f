import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { type JobKind, jobKind } from '../jobs/jobs.kinds.ts';
import { postponeJobs } from '../jobs/manage.ts';
import { HOLDER_TYPES, type Holder, type HolderColumn, type HolderType } from './holder.ts';

type Maintain = JobKind<Partial<Record<HolderColumn, number>>>;

/** For large repositories on a busy machine; git's processes limit their own processor time. */
const LONGEST_MS = 6 * 3_600_000;

/** Housekeeping of a repository; the unique key of the job is the holder's id. */
export const MAINTAIN: Readonly<Record<HolderType, Maintain>> = {
  project: jobKind('maintain-repository', { lane: 'slow', timeoutMs: LONGEST_MS }),
  snippet: jobKind('maintain-snippet', { lane: 'slow', timeoutMs: LONGEST_MS }),
  wiki: jobKind('maintain-wiki', { lane: 'slow', timeoutMs: LONGEST_MS }),
};
const KINDS: ReadonlySet<string> = new Set(Object.values(MAINTAIN).map(({ name }) => name));

/** Whether a job is the housekeeping of a repository. */
export const isMaintenance = ({ name }: Pick<JobKind, 'name'>): boolean => KINDS.has(name);

/** Lets all housekeeping that waits run later. */
export async function postponeMaintenance({ clock, db }: Pick<Deps, 'clock' | 'db'>, ms: number): Promise<void> {
  const until = new Date(clock.now().getTime() + ms);
  for (const kind of KINDS) await postponeJobs(db, { kind }, until);
}

/** Delay after a ref change, so that one run covers a burst of changes. */
export const MAINTENANCE_PAUSE_MS = 30_000;

/**
 * Schedules the housekeeping of a repository, with the handle of a transaction.
 * @param after delay since the first change of a burst, which has a single run
 */
export async function enqueueMaintenance(
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
  db: Db,
  { type, id }: Pick<Holder, 'type' | 'id'>,
  after = MAINTENANCE_PAUSE_MS,
): Promise<void> {
  const runAt = new Date(clock.now().getTime() + after);
  await jobs.enqueue(db, MAINTAIN[type], { [HOLDER_TYPES[type].column]: id }, { uniqueKey: id, runAt });
}
