import { timestamp } from '../../core/clock.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { RetryLater } from '../../core/retry-later.ts';
import { parseJson } from '../../db/columns.ts';
import type { MovedRepository } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { removeRepository } from '../../git/git.repository-files.ts';
import { cancelRemoval } from './replica-removal.ts';
import { readersLeft } from './storage-moves.readers.ts';

/** So often it is tried to remove what was moved away before the move ends without it. */
const ATTEMPTS = 5;

/**
 * Removes what was moved away, once nobody reads it any more, and ends the move.
 * @throws RetryLater while it may be read; what the removal throws, at the first attempts, unless the disk takes no changes
 */
export async function cleanUp(deps: Deps, id: number, { attempts }: { attempts: number }): Promise<void> {
  const move = await deps.db
    .selectFrom('repository_storage_moves')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'replicated')
    .executeTakeFirst();
  if (move === undefined) return;
  const wait = await readersLeft(deps, move);
  if (wait !== null) throw new RetryLater(wait, 'what was moved away may still be read');
  const repositories = parseJson<MovedRepository[]>(move.places);
  let problem: string | null = null;
  try {
    for (const { from } of repositories) {
      deps.storages.evict(from);
      await removeRepository(deps.storages.dirOf(from));
    }
  } catch (error) {
    // Attempts that a fault of the disk ends are not counted: the move would never be over.
    if (attempts < ATTEMPTS && environmentFaultOf(error) === null) throw error;
    deps.log.log('error', 'what was moved away cannot be removed', { move: move.id, error: String(error) });
    problem = 'The files at the source could not be removed; it is tried again in the background.';
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
