import type { Deps } from '../../deps.ts';
import { registerBulkMoves } from './bulk.ts';
import { cleanUp } from './clean-up.ts';
import { registerReplicaRemoval } from './replica-removal.ts';
import { runMove } from './storage-moves.run.ts';
import { CLEAN_UP, enqueueMove, MOVE } from './storage-moves.schedule.ts';

const BATCH = 500;

/** Names the work of moves between storages. */
export function registerMoves(deps: Deps): void {
  deps.jobs.register(MOVE, ({ move_id }, run) => runMove(deps, move_id, run));
  deps.jobs.register(CLEAN_UP, ({ move_id }, run) => cleanUp(deps, move_id, run));
  registerReplicaRemoval(deps);
  registerBulkMoves(deps);
}

/** Sees to it that every move that is not over has its job, also where somebody has dropped it. For a start that is alone. */
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
