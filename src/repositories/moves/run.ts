import { timestamp } from '../../core/clock.ts';
import { ComesAgain, comesAgainAfter } from '../../core/comes-again.ts';
import { faultOf } from '../../core/surroundings.ts';
import { parseJson } from '../../db/columns.ts';
import type { MovedRepository, StorageMove } from '../../db/tables/storage-moves.ts';
import type { Deps } from '../../deps.ts';
import { isMissing } from '../../git/durable.ts';
import { GitError } from '../../git/errors.ts';
import { removeRepository } from '../../git/repository-files.ts';
import { keep, type Replica, removeNow } from './abandoned.ts';
import { lockHolder } from './holders.ts';
import { readersLeft } from './readers.ts';
import { begin, Changed, copyAll, Overtaken, switchOver } from './replicate.ts';
import { COPY_MS, setReadOnly } from './schedule.ts';

/** One that ends its process so often is given up. */
const MAX_ATTEMPTS = 20;
/** So often it is tried to remove what was moved away before the move ends without it. */
const CLEANUP_ATTEMPTS = 5;
/** So long after the switch it is first looked whether somebody still reads what was moved away. */
const FIRST_LOOK_MS = 200;

interface Run {
  attempts: number;
  signal: AbortSignal;
}

/**
 * Takes a move on from where it stands, be that after a kill: copies and switches over, or removes what is left at the
 * source. A move that cannot be made leaves everything as it was.
 * @throws ComesAgain while something has to be waited for; errors that say nothing about the move: the server stops, the
 *   database is away
 */
export async function runMove(deps: Deps, id: number, run: Run): Promise<void> {
  const move = await deps.db.selectFrom('repository_storage_moves').selectAll().where('id', '=', id).executeTakeFirst();
  if (move === undefined) return;
  if (move.state === 'scheduled' || move.state === 'started') await replicate(deps, move, run);
  if (move.state === 'replicated') await cleanUp(deps, move, run);
}

async function replicate(deps: Deps, move: StorageMove, { attempts, signal }: Run): Promise<void> {
  const limit = AbortSignal.timeout(COPY_MS);
  let replicas: Replica[] = [];
  let claim: string | null = null;
  try {
    if (attempts > MAX_ATTEMPTS) throw new GitError('failed', 'the process ended at every attempt');
    ({ claim, replicas } = await begin(deps, move));
    await copyAll(deps, replicas, AbortSignal.any([signal, limit]));
    await switchOver(deps, move, claim, replicas);
  } catch (error) {
    const comesToNothing = error instanceof Overtaken;
    const goesBy = signal.aborted || comesAgainAfter(error) !== null || faultOf(error) === 'unavailable';
    if (comesToNothing || goesBy) await dropCopies(deps, move.id, replicas);
    if (comesToNothing && !(await isLeft(deps, move, claim))) return;
    if (goesBy) throw error;
    deps.log.log('warn', 'a repository could not be moved', { move: move.id, error: String(error) });
    return fail(deps, move, replicas, limit.aborted ? 'It took too long to copy the repository.' : reasonOf(error));
  }
  deps.log.log('info', 'a repository was moved', { move: move.id, to: move.destination_storage_name });
  throw new ComesAgain(FIRST_LOOK_MS, 'what was moved away may still be read');
}

/** Whether the move stands where the attempt left it, with what was to be moved gone. */
async function isLeft({ db }: Deps, { id }: StorageMove, claim: string | null): Promise<boolean> {
  const move = await db
    .selectFrom('repository_storage_moves')
    .select(['state', 'claim'])
    .where('id', '=', id)
    .executeTakeFirst();
  return claim !== null && move?.claim === claim && move.state === 'started';
}

/** What of an error is told, without anything that it says of the machine. */
function reasonOf(error: unknown): string {
  const fault = faultOf(error);
  if (fault === 'disk_full') return 'The disk of the destination storage is full.';
  if (fault === 'denied') return 'The server cannot read the source storage or write the destination storage.';
  if (isMissing(error)) return 'The repository or the destination storage is not there.';
  if (error instanceof Changed || error instanceof Overtaken) return 'The repository was changed while it was moved.';
  if (error instanceof GitError && error.code === 'busy') return 'The repository does not come to rest.';
  if (error instanceof GitError) return 'The copy of the repository differs from it.';
  return 'An internal error kept the repository from being moved.';
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
      .executeTakeFirst();
    for (const { to } of replicas) await removeNow(deps, db, move.id, to);
    if (numUpdatedRows > 0n) await setReadOnly(db, repositories, 0);
  });
}

/** Removes what was moved away, once nobody reads it any more, and ends the move. */
async function cleanUp(deps: Deps, move: StorageMove, { attempts }: Run): Promise<void> {
  const wait = await readersLeft(deps, move);
  if (wait !== null) throw new ComesAgain(wait, 'what was moved away may still be read');
  const repositories = parseJson<MovedRepository[]>(move.places);
  let problem: string | null = null;
  try {
    for (const { from } of repositories) {
      deps.storages.forget(from);
      await removeRepository(deps.storages.dirOf(from));
    }
  } catch (error) {
    if (attempts < CLEANUP_ATTEMPTS) throw error;
    deps.log.log('error', 'what was moved away cannot be removed', { move: move.id, error: String(error) });
    problem = 'The files at the source could not be removed; it is tried again in the background.';
  }
  await deps.db.transaction().execute(async (db) => {
    if (problem === null) for (const { from } of repositories) await keep(deps, db, from);
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
