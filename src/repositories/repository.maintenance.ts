import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { type JobKind, jobKind } from '../jobs/jobs.kinds.ts';
import { HOLDER_TYPES, type Holder, type HolderColumn, type HolderType } from './holder.ts';

type Maintain = JobKind<Partial<Record<HolderColumn, number>>>;

/** Of large repositories on a machine that is busy with others; git's processes count their own time. */
const LONGEST_MS = 6 * 3_600_000;

/** Keeps a repository quick; the unique key of such a job is the id of whose repository it is. */
export const MAINTAIN: Readonly<Record<HolderType, Maintain>> = {
  project: jobKind('maintain-repository', { lane: 'slow', timeoutMs: LONGEST_MS }),
  snippet: jobKind('maintain-snippet', { lane: 'slow', timeoutMs: LONGEST_MS }),
  wiki: jobKind('maintain-wiki', { lane: 'slow', timeoutMs: LONGEST_MS }),
};
/** So long after a change of refs, so that one run serves a burst of them. */
export const MAINTENANCE_PAUSE_MS = 30_000;

/**
 * Asks for upkeep of a repository, with the handle of a transaction.
 * @param after what is asked for with the changes of a burst runs once, so long after the first
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
