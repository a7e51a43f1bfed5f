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
  /** Null draws one by weight for each. */
  destination: string | null;
  /** Those with higher ids are to come. */
  after: number;
}

const BULK = jobKind<Bulk>('storage_move.bulk', { lane: 'slow', maxAttempts: Number.POSITIVE_INFINITY });
/** Moves that are under way together: what waits its turn can be written as before. */
const BATCH_SIZE = 20;
const LOOK_MS = 500;

/** Has everything of a kind on a storage moved, in the background. */
export const moveAll = (deps: Deps, kind: StorageMoveKind, source: string, destination: string | null): Promise<void> =>
  deps.jobs.enqueue(deps.db, BULK, { kind, source, destination, after: 0 });

/** Names the work behind `moveAll`. Each run schedules a few moves; one that is killed begins again with them. */
export function registerBulkMoves(deps: Deps): void {
  deps.jobs.register(BULK, async ({ kind, source, destination, after }, { signal }) => {
    const room = BATCH_SIZE - (await underWay(deps.db));
    if (room <= 0) throw new RetryLater(LOOK_MS, 'enough moves are under way');
    const ids = await nextOn(deps.db, kind, source, after, room);
    for (const id of ids) {
      signal.throwIfAborted();
      try {
        await scheduleMove(deps, kind, id, destination);
      } catch (error) {
        // Moved already, filled just now, or gone.
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
    // In these words the index on what is open is used.
    .where('state', 'in', ['scheduled', 'started', 'replicated'])
    .limit(BATCH_SIZE);
  return (await open.execute()).length;
}

/** Ids of what has its repository on a storage, in their order. */
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
