import { ApiError } from '../../core/core.errors.ts';
import { RetryLater } from '../../core/retry-later.ts';
import type { Db } from '../../db/db.schema.ts';
import type { StorageMoveKind } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { scheduleMove } from './storage-moves.schedule.ts';

interface Bulk {
  kind: StorageMoveKind;
  source: string;
  /** Null draws a storage by weight for each. */
  destination: string | null;
  /** Id after which to continue. */
  after: number;
}

const BULK = jobKind<Bulk>('storage_move.bulk', { lane: 'slow', maxAttempts: Number.POSITIVE_INFINITY });
/** Maximum number of concurrent moves: repositories stay writable while they wait. */
const BATCH_SIZE = 20;
const LOOK_MS = 500;

/** Schedules moves of all repositories of a kind on a storage, in the background. */
export const moveAll = (deps: Deps, kind: StorageMoveKind, source: string, destination: string | null): Promise<void> =>
  deps.jobs.enqueue(deps.db, BULK, { kind, source, destination, after: 0 });

/**
 * Registers the job of `moveAll`. Each run schedules a few moves; after a crash a run starts again with the same ones.
 */
export function registerBulkMoves(deps: Deps): void {
  deps.jobs.register(BULK, async ({ kind, source, destination, after }, { signal }) => {
    const room = BATCH_SIZE - (await underWay(deps.db));
    if (room <= 0) throw new RetryLater(LOOK_MS, 'too many moves are in progress');
    const ids = await nextOn(deps.db, kind, source, after, room);
    for (const id of ids) {
      signal.throwIfAborted();
      try {
        await scheduleMove(deps, kind, id, destination);
      } catch (error) {
        // Already moved, busy, or deleted.
        if (!(error instanceof ApiError)) throw error;
      }
    }
    if (ids.length < room) return;
    await deps.jobs.enqueue(deps.db, BULK, { kind, source, destination, after: ids.at(-1)! });
  });
}

async function underWay(db: Db): Promise<number> {
  const open = db
    .selectFrom('repository_storage_moves')
    .select('id')
    // Written so that the partial index on open moves is used.
    .where('state', 'in', ['scheduled', 'started', 'replicated'])
    .limit(BATCH_SIZE);
  return (await open.execute()).length;
}

/** Ids of holders with a repository on a storage, in order. */
async function nextOn(db: Db, kind: StorageMoveKind, storage: string, after: number, limit: number): Promise<number[]> {
  if (kind === 'group') {
    const rows = await db
      .selectFrom('wikis')
      .select('namespace_id')
      .where('repository_storage', '=', storage)
      .where('namespace_id', '>', after)
      .orderBy('namespace_id')
      .limit(limit)
      .execute();
    return rows.map(({ namespace_id }) => namespace_id!);
  }
  const rows = await db
    .selectFrom(kind === 'project' ? 'projects' : 'snippets')
    .select('id')
    .where('repository_storage', '=', storage)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
