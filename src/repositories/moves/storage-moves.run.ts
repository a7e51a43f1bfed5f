import { timestamp } from '../../core/clock.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { retryDelayOf } from '../../core/retry-later.ts';
import { parseJson } from '../../db/columns.ts';
import type { MovedRepository, StorageMove } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { isMissing } from '../../git/durable.ts';
import { GitError } from '../../git/git.errors.ts';
import { lockHolder } from './holders.ts';
import { type Replica, removeNow } from './replica-removal.ts';
import { beginMove, copyAll, MoveSuperseded, RepositoryChanged, resumeWrites, switchOver } from './replicate.ts';
import { COPY_MS, setReadOnly } from './storage-moves.schedule.ts';

/** One that ends its process so often is given up. */
const MAX_ATTEMPTS = 20;

interface Run {
  attempts: number;
  signal: AbortSignal;
}

/**
 * Makes a move, be that after a kill: copies its repositories and switches over. One that cannot be made leaves everything as
 * it was.
 * @throws RetryLater while something has to be waited for; errors that say nothing about the move: the server stops, the
 *   database is away
 */
export async function runMove(deps: Deps, id: number, run: Run): Promise<void> {
  const move = await deps.db.selectFrom('repository_storage_moves').selectAll().where('id', '=', id).executeTakeFirst();
  if (move === undefined) return;
  if (move.state === 'scheduled' || move.state === 'started') await replicate(deps, move, run);
}

async function replicate(deps: Deps, move: StorageMove, { attempts, signal }: Run): Promise<void> {
  const limit = AbortSignal.timeout(COPY_MS);
  let replicas: Replica[] = [];
  let { claim } = move;
  try {
    if (attempts > MAX_ATTEMPTS) throw new GitError('failed', 'the process ended at every attempt');
    ({ claim, replicas } = await beginMove(deps, move));
    await copyAll(deps, replicas, AbortSignal.any([signal, limit]));
    await switchOver(deps, move, claim!, replicas);
  } catch (error) {
    const comesToNothing = error instanceof MoveSuperseded;
    const goesBy = signal.aborted || retryDelayOf(error) !== null || environmentFaultOf(error) === 'unavailable';
    if (comesToNothing || goesBy) await dropCopies(deps, move.id, replicas);
    if (goesBy && !comesToNothing) await pauseMove(deps, move, claim);
    if (comesToNothing && !(await isLeft(deps, move, claim))) return;
    if (goesBy) throw error;
    deps.log.log('warn', 'a repository could not be moved', { move: move.id, error: String(error) });
    return fail(
      deps,
      { ...move, claim },
      replicas,
      limit.aborted ? 'It took too long to copy the repository.' : reasonOf(deps, move, error),
    );
  }
  deps.log.log('info', 'a repository was moved', { move: move.id, to: move.destination_storage_name });
}

/** Whether the move stands where the attempt left it, with what was to be moved gone. */
async function isLeft({ db }: Deps, { id }: StorageMove, claim: string | null): Promise<boolean> {
  const move = await db
    .selectFrom('repository_storage_moves')
    .select(['state', 'claim'])
    .where('id', '=', id)
    .executeTakeFirst();
  return move?.claim === claim && move.state === 'started';
}

/** What of an error is told, without anything that it says of the machine. */
function reasonOf({ storages }: Deps, move: StorageMove, error: unknown): string {
  const fault = environmentFaultOf(error);
  if (fault === 'disk_full') return 'The disk of the destination storage is full.';
  if (fault === 'denied') return 'The server cannot read the source storage or write the destination storage.';
  const known = [move.source_storage_name, move.destination_storage_name].every((name) => storages.has(name));
  if (isMissing(error) || !known) return 'The repository or the destination storage is not there.';
  if (error instanceof RepositoryChanged || error instanceof MoveSuperseded)
    return 'The repository was changed while it was moved.';
  if (error instanceof GitError && error.code === 'busy') return 'The repository does not come to rest.';
  if (error instanceof GitError) return 'The copy of the repository differs from it.';
  return 'An internal error kept the repository from being moved.';
}

/** Where the database is away the repositories stay read-only until the next attempt. */
async function pauseMove(deps: Deps, move: StorageMove, claim: string | null): Promise<void> {
  try {
    await resumeWrites(deps, move, claim);
  } catch (error) {
    if (error instanceof MoveSuperseded) return;
    deps.log.log('warn', 'a repository stays read-only while its move waits', { move: move.id, error: String(error) });
  }
}

/** Copies of an attempt that has ended without using them; where the database is away they go by themselves later. */
async function dropCopies(deps: Deps, moveId: number, replicas: readonly Replica[]): Promise<void> {
  try {
    await deps.db.transaction().execute(async (db) => {
      for (const { to } of replicas) await removeNow(deps, db, moveId, to);
    });
  } catch (error) {
    deps.log.log('warn', 'half a copy of a repository is removed later', { move: moveId, error: String(error) });
  }
}

/** Ends a move that cannot be made: the repositories are where they were and can be written again. */
async function fail(deps: Deps, move: StorageMove, replicas: readonly Replica[], reason: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const repositories = parseJson<MovedRepository[]>(move.places);
    for (const repository of repositories) await lockHolder(deps, db, repository);
    const { numUpdatedRows } = await db
      .updateTable('repository_storage_moves')
      .set({ state: 'failed', error_message: reason, updated_at: timestamp(deps.clock) })
      .where('id', '=', move.id)
      .where('state', 'in', ['scheduled', 'started'])
      // Another attempt may have taken over.
      .where('claim', move.claim === null ? 'is' : '=', move.claim)
      .executeTakeFirst();
    for (const { to } of replicas) await removeNow(deps, db, move.id, to);
    if (numUpdatedRows > 0n) await setReadOnly(db, repositories, 0);
  });
}
