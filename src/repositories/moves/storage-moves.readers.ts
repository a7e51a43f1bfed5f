import type { Epoch, InFlight } from '../../core/in-flight.ts';
import { backupRuns } from '../../db/backup-lease.ts';
import { otherServers } from '../../db/db.claim.ts';
import type { StorageMove } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';

/** Epoch in which each move was first checked after its switch, in this process. */
const moments = new WeakMap<InFlight, Map<number, Epoch>>();
const MAX_MOMENTS = 10_000;
const LOOK_MS = 500;
const BACKUP_LOOK_MS = 15_000;
const OTHERS_LOOK_MS = 10_000;
/** Longer than any job reads a repository. */
const LONGEST_JOB_MS = 3_600_000;
const SLACK_MS = 300_000;

/**
 * Checks whether a reader may still use the source of a move: a request or job that began before the switch, in any
 * process, or a backup.
 * @returns delay in milliseconds until the next check; null if no reader is left
 */
export async function readerCheckDelay(deps: Deps, { id, updated_at }: StorageMove): Promise<number | null> {
  const mine = moments.get(deps.inFlight) ?? new Map<number, Epoch>();
  moments.set(deps.inFlight, mine);
  if (mine.size > MAX_MOMENTS) mine.clear();
  const moment = mine.get(id) ?? deps.inFlight.currentEpoch();
  mine.set(id, moment);
  if (!deps.inFlight.hasDrained(moment)) return LOOK_MS;
  if (await backupRuns(deps.db, deps.clock)) return BACKUP_LOOK_MS;
  // Work of other processes is unknown, so only its maximum duration counts.
  if (deps.config.database.kind === 'postgres' && (await otherServers(deps.db))) {
    const longest = Math.max(deps.config.transfers.totalMs, LONGEST_JOB_MS) + SLACK_MS;
    const left = Date.parse(updated_at) + longest - deps.clock.now().getTime();
    if (left > 0) return Math.min(left, OTHERS_LOOK_MS);
  }
  mine.delete(id);
  return null;
}
