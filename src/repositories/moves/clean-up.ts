import { timestamp } from '../../core/clock.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { RetryLater } from '../../core/retry-later.ts';
import { parseJson } from '../../db/columns.ts';
import type { MovedRepository } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { removeRepository } from '../../git/repository/index.ts';
import { cancelRemoval } from './replica-removal.ts';
import { readerCheckDelay } from './storage-moves.readers.ts';

/** Number of attempts to remove the source before the move ends without it. */
const ATTEMPTS = 5;

/**
 * Removes the source repository once no reader is left, and ends the move.
 * @throws RetryLater while it may be read; errors of the removal in the first attempts, unless the disk is read-only
 */
export async function cleanUp(deps: Deps, id: number, { attempts }: { attempts: number }): Promise<void> {
  const move = await deps.db
    .selectFrom('repository_storage_moves')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'replicated')
    .executeTakeFirst();
  if (move === undefined) return;
  const wait = await readerCheckDelay(deps, move);
  if (wait !== null) throw new RetryLater(wait, 'the source repository may still be in use');
  const repositories = parseJson<MovedRepository[]>(move.places);
  let problem: string | null = null;
  try {
    for (const { from } of repositories) {
      deps.storages.evict(from);
      await removeRepository(deps.storages.dirOf(from));
    }
  } catch (error) {
    // The job queue does not count attempts that end in a disk fault, so retries would never end.
    if (attempts < ATTEMPTS && environmentFaultOf(error) === null) throw error;
    deps.log.log('error', 'the source of a moved repository could not be removed', {
      move: move.id,
      error: String(error),
    });
    problem = 'The files at the source could not be removed. The removal is retried in the background.';
  }
  await deps.db.transaction().execute(async (db) => {
    if (problem === null) for (const { from } of repositories) await cancelRemoval(deps, db, from);
    await db
      .updateTable('repository_storage_moves')
      .set({
        state: problem === null ? 'finished' : 'cleanup failed',
        error_message: problem,
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', move.id)
      .execute();
  });
}
