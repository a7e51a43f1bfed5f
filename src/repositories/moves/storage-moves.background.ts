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
  for (let after = 0; ; ) {
    const open = await deps.db
      .selectFrom('repository_storage_moves')
      .select(['id', 'state'])
      .where('state', 'in', ['scheduled', 'started', 'replicated'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const move of open) await enqueueMove(deps, deps.db, move);
    if (open.length < BATCH) return;
    after = open.at(-1)!.id;
  }
}
