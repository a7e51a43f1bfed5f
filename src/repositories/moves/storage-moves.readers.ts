import type { Epoch, InFlight } from '../../core/in-flight.ts';
import { backupRuns } from '../../db/backup-lease.ts';
import { otherServers } from '../../db/db.claim.ts';
import type { StorageMove } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';

/** When each move was first looked at after its switch, in this process. */
const moments = new WeakMap<InFlight, Map<number, Epoch>>();
const MAX_MOMENTS = 10_000;
const LOOK_MS = 500;
const BACKUP_LOOK_MS = 15_000;
const OTHERS_LOOK_MS = 10_000;
/** Longer than any job reads a repository. */
const LONGEST_JOB_MS = 3_600_000;
const SLACK_MS = 300_000;

/**
 * Whether somebody may still read what a move has taken elsewhere: a request or a job that began before the switch, in
 * this process or another one, or a backup.
 * @returns in how many milliseconds to look again; null where nobody is left
 */
export async function readersLeft(deps: Deps, { id, updated_at }: StorageMove): Promise<number | null> {
  const mine = moments.get(deps.inFlight) ?? new Map<number, Epoch>();
  moments.set(deps.inFlight, mine);
  if (mine.size > MAX_MOMENTS) mine.clear();
  const moment = mine.get(id) ?? deps.inFlight.currentEpoch();
  mine.set(id, moment);
  if (!deps.inFlight.hasDrained(moment)) return LOOK_MS;
  if (await backupRuns(deps.db, deps.clock)) return BACKUP_LOOK_MS;
  // What other processes have at work is not known here, only how long anything may take.
  if (deps.config.database.kind === 'postgres' && (await otherServers(deps.db))) {
    const longest = Math.max(deps.config.transfers.totalMs, LONGEST_JOB_MS) + SLACK_MS;
    const left = Date.parse(updated_at) + longest - deps.clock.now().getTime();
    if (left > 0) return Math.min(left, OTHERS_LOOK_MS);
  }
  mine.delete(id);
  return null;
}
