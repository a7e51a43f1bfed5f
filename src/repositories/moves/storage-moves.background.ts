import { inBatches } from '../../db/in-batches.ts';
import type { Deps } from '../../deps.ts';
import { registerBulkMoves } from './bulk.ts';
import { cleanUp } from './clean-up.ts';
import { registerReplicaRemoval } from './replica-removal.ts';
import { runMove } from './storage-moves.run.ts';
import { CLEAN_UP, enqueueMove, MOVE } from './storage-moves.schedule.ts';

const BATCH = 500;

/** Registers the jobs of storage moves. */
export function registerMoves(deps: Deps): void {
  deps.jobs.register(MOVE, ({ move_id }, run) => runMove(deps, move_id, run));
  deps.jobs.register(CLEAN_UP, ({ move_id }, run) => cleanUp(deps, move_id, run));
  registerReplicaRemoval(deps);
  registerBulkMoves(deps);
}

/**
 * Ensures that every open move has its job, even if it was dropped. Called at the start of a server that runs alone.
 */
export async function resumeMoves(deps: Deps): Promise<void> {
  const open = deps.db
    .selectFrom('repository_storage_moves')
    .select(['id', 'state'])
    .where('state', 'in', ['scheduled', 'started', 'replicated']);
  for await (const moves of inBatches(open, BATCH, 'id')) {
    for (const move of moves) await enqueueMove(deps, deps.db, move);
  }
}
