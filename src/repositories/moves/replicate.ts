import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { timestamp } from '../../core/clock.ts';
import { RetryLater } from '../../core/retry-later.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { MovedRepository, StorageMove } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { copyRepository, repositoryId } from '../../git/repository/index.ts';
import { HOLDER_TYPES, tableOf } from '../holder.ts';
import { recoverOrphanedIntents } from '../recover-intents.ts';
import { waitForWritesWithoutIntent } from '../server-writes.ts';
import { lockHolder } from './holders.ts';
import { cancelRemoval, type Replica, removeLaterUnlessUsed, removeNow } from './replica-removal.ts';
import { enqueueMove, setReadOnly } from './storage-moves.schedule.ts';

/** Another attempt has taken over the move, or the moved object no longer exists: the copy is obsolete. */
export class MoveSuperseded extends Error {
  override name = 'MoveSuperseded';
}

/** The source has changed although it was read-only. */
export class RepositoryChanged extends Error {
  override name = 'RepositoryChanged';
}

/** Interval and number of checks for the end of announced writes; then the attempt is retried later. */
const LOOK_MS = 50;
const LOOKS = 40;
const COMES_AGAIN_MS = 1_000;

/**
 * Records the start of an attempt, with its own locations for the copies, so that an earlier attempt cannot switch over
 * any more. From then on the repositories are read-only.
 */
export function beginMove(
  deps: Deps,
  { id }: Pick<StorageMove, 'id'>,
): Promise<{ claim: string; replicas: Replica[] }> {
  const claim = randomUUID();
  return deps.db.transaction().execute(async (db) => {
    await lockPlaces(deps, db, id, 1);
    const move = await db
      .updateTable('repository_storage_moves')
      .set({ state: 'started', claim, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .where('state', 'in', ['scheduled', 'started'])
      .returning(['places', 'destination_storage_name'])
      .executeTakeFirstOrThrow(() => new MoveSuperseded('the move is over'));
    const repositories = parseJson<MovedRepository[]>(move.places);
    const replicas = repositories.map(
      (repository): Replica => ({
        ...repository,
        to: { storage: move.destination_storage_name, diskPath: deps.storages.newDiskPath() },
      }),
    );
    await db
      .updateTable('repository_storage_moves')
      .set({ places: JSON.stringify(replicas) })
      .where('id', '=', id)
      .execute();
    // Copies of an earlier, interrupted attempt.
    for (const { to } of repositories) if (to !== null) await removeNow(deps, db, id, to);
    for (const { to } of replicas) await removeLaterUnlessUsed(deps, db, id, to);
    return { claim, replicas };
  });
}

/** Locks the holders of an open move, and makes their repositories read-only or writable. */
async function lockPlaces(deps: Deps, db: Db, id: number, readOnly: 0 | 1): Promise<void> {
  const move = await db
    .selectFrom('repository_storage_moves')
    .select('places')
    .where('id', '=', id)
    .where('state', 'in', ['scheduled', 'started'])
    .executeTakeFirst();
  const repositories = parseJson<MovedRepository[]>(move?.places ?? '[]');
  for (const repository of repositories) await lockHolder(deps, db, repository);
  await setReadOnly(db, repositories, readOnly);
}

/** Makes repositories writable while an attempt waits for the next one. */
export async function resumeWrites(deps: Deps, { id }: Pick<StorageMove, 'id'>, claim: string | null): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await lockPlaces(deps, db, id, 0);
    const { numUpdatedRows } = await db
      .updateTable('repository_storage_moves')
      .set({ state: 'scheduled', updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .where('state', '=', 'started')
      .where('claim', claim === null ? 'is' : '=', claim)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new MoveSuperseded('another attempt has taken over');
  });
}

/**
 * Copies read-only repositories once the announced writes have ended.
 * @throws RetryLater while writes are in progress; the signal's reason, GitError, and file system errors
 */
export async function copyAll(deps: Deps, replicas: readonly Replica[], signal: AbortSignal): Promise<void> {
  for (const replica of replicas) {
    const { from, to } = replica;
    await waitForWritesWithoutIntent(deps, repositoryId(from));
    await announcedWritesEnd(deps, replica, signal);
    await copyRepository(deps.storages.dirOf(from), deps.storages.dirOf(to), signal);
  }
}

const announced = async (db: Db, { type, id }: Pick<Replica, 'type' | 'id'>): Promise<boolean> => {
  const intents = db.selectFrom('ref_intents').select('id').where(HOLDER_TYPES[type].column, '=', id);
  return (await intents.limit(1).executeTakeFirst()) !== undefined;
};

async function announcedWritesEnd(deps: Deps, { type, id, from }: Replica, signal: AbortSignal) {
  const holder = { type, id, repository_storage: from.storage, disk_path: from.diskPath };
  for (let looks = 0; await announced(deps.db, holder); looks += 1) {
    await recoverOrphanedIntents(deps, holder);
    if (looks === LOOKS) throw new RetryLater(COMES_AGAIN_MS, 'writes to the repository are in progress');
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/**
 * Switches over to the copies in one transaction and makes the repositories writable.
 * @throws MoveSuperseded, RepositoryChanged; database errors, after which nothing has changed
 */
export async function switchOver(
  deps: Deps,
  { id }: Pick<StorageMove, 'id'>,
  claim: string,
  replicas: readonly Replica[],
): Promise<void> {
  const trySwitch = () =>
    deps.db.transaction().execute(async (db) => {
      for (const replica of replicas) {
        const { from, to } = replica;
        const holder = await lockHolder(deps, db, replica);
        if (holder === undefined) throw new MoveSuperseded('the repository no longer exists');
        const same = holder.repository_storage === from.storage && holder.disk_path === from.diskPath;
        if (!same || !holder.busy || (await announced(db, replica)))
          throw new RepositoryChanged('the repository has changed');
        // A concurrent check of the location finds that it is in use.
        if (!(await cancelRemoval(deps, db, to))) throw new RetryLater(LOOK_MS, 'the copy is being checked');
        await db
          .updateTable(tableOf(replica.type))
          .set({ repository_storage: to.storage, disk_path: to.diskPath, repository_read_only: 0 })
          .where('id', '=', replica.id)
          .execute();
        await removeLaterUnlessUsed(deps, db, id, from);
      }
      const { numUpdatedRows } = await db
        .updateTable('repository_storage_moves')
        .set({ state: 'replicated', updated_at: timestamp(deps.clock) })
        .where('id', '=', id)
        .where('state', '=', 'started')
        .where('claim', '=', claim)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new MoveSuperseded('another attempt has taken over');
      await enqueueMove(deps, db, { id, state: 'replicated' });
    });
  for (let looks = 1; ; looks += 1) {
    try {
      return await trySwitch();
    } catch (error) {
      if (!(error instanceof RetryLater) || looks === LOOKS) throw error;
    }
    await sleep(LOOK_MS);
  }
}
