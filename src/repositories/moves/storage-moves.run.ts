import { timestamp } from '../../core/clock.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { retryDelayOf } from '../../core/retry-later.ts';
import { parseJson } from '../../db/columns.ts';
import type { MovedRepository, StorageMove } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import { isMissing } from '../../git/files/index.ts';
import { lockHolder } from './holders.ts';
import { type Replica, removeNow } from './replica-removal.ts';
import { beginMove, copyAll, MoveSuperseded, RepositoryChanged, resumeWrites, switchOver } from './replicate.ts';
import { COPY_MS, setReadOnly } from './storage-moves.schedule.ts';

/** Number of process exits after which a move is given up. */
const MAX_ATTEMPTS = 20;

interface Run {
  attempts: number;
  signal: AbortSignal;
}

/**
 * Runs a move, also after a crash: copies its repositories and switches over. A failed move changes nothing.
 * @throws RetryLater while it must wait; errors unrelated to the move, such as a shutdown or an unavailable database
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
    if (attempts > MAX_ATTEMPTS) throw new GitError('failed', 'the process exited during every attempt');
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
      limit.aborted ? 'Copying the repository took too long.' : reasonOf(deps, move, error),
    );
  }
  deps.log.log('info', 'a repository was moved', { move: move.id, to: move.destination_storage_name });
}

/** Whether the move is unchanged since the attempt, and its object no longer exists. */
async function isLeft({ db }: Deps, { id }: StorageMove, claim: string | null): Promise<boolean> {
  const move = await db
    .selectFrom('repository_storage_moves')
    .select(['state', 'claim'])
    .where('id', '=', id)
    .executeTakeFirst();
  return move?.claim === claim && move.state === 'started';
}

/** Reason of a failure for users, without details of the server. */
function reasonOf({ storages }: Deps, move: StorageMove, error: unknown): string {
  const fault = environmentFaultOf(error);
  if (fault === 'disk_full') return 'The disk of the destination storage is full.';
  if (fault === 'denied') return 'The server cannot read the source storage or write the destination storage.';
  const known = [move.source_storage_name, move.destination_storage_name].every((name) => storages.has(name));
  if (isMissing(error) || !known) return 'The repository or the destination storage does not exist.';
  if (error instanceof RepositoryChanged || error instanceof MoveSuperseded)
    return 'The repository changed during the move.';
  if (error instanceof GitError && error.code === 'busy')
    return 'The repository keeps changing. Try again when there are fewer writes.';
  if (error instanceof GitError) return 'The copy of the repository differs from its source.';
  return 'An internal error prevented the move of the repository.';
}

/** Without the database the repositories stay read-only until the next attempt. */
async function pauseMove(deps: Deps, move: StorageMove, claim: string | null): Promise<void> {
  try {
    await resumeWrites(deps, move, claim);
  } catch (error) {
    if (error instanceof MoveSuperseded) return;
    deps.log.log('warn', 'a repository stays read-only until its move is retried', {
      move: move.id,
      error: String(error),
    });
  }
}

/** Removes unused copies of an attempt. Without the database they are removed later. */
async function dropCopies(deps: Deps, moveId: number, replicas: readonly Replica[]): Promise<void> {
  try {
    await deps.db.transaction().execute(async (db) => {
      for (const { to } of replicas) await removeNow(deps, db, moveId, to);
    });
  } catch (error) {
    deps.log.log('warn', 'an incomplete copy of a repository could not be removed; it is removed later', {
      move: moveId,
      error: String(error),
    });
  }
}

/** Fails a move: the repositories keep their location and become writable. */
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
