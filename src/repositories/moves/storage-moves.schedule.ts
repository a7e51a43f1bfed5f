import { auditEntity, INSTANCE, recordAudit } from '../../audit/record.audit.ts';
import { timestamp } from '../../core/clock.ts';
import { type FieldErrors, invalidModel } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { MovedRepository, StorageMove, StorageMoveKind } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { locationOf, tableOf } from '../holder.ts';
import { ensureWiki } from '../repository.wikis.ts';
import { COLUMN_OF, lockMoved } from './holders.ts';

/** Maximum duration of one attempt to copy. */
export const COPY_MS = 6 * 3_600_000;

/** The job of a move until the switch. A move decides itself when to fail, so its job is never given up. */
export const MOVE = jobKind<{ move_id: number }>('storage_move.run', {
  lane: 'moves',
  maxAttempts: Number.POSITIVE_INFINITY,
  timeoutMs: COPY_MS + 600_000,
});

/** The job that removes the source of a move: in a lane without copies, so that it does not wait for them. */
export const CLEAN_UP = jobKind<{ move_id: number }>('storage_move.clean_up', {
  lane: 'git',
  maxAttempts: Number.POSITIVE_INFINITY,
});

/** Default destination of a move: drawn by weight among the other storages, or the source if there is none. */
export const pickDestination = ({ storages, settings }: Pick<Deps, 'storages' | 'settings'>, source: string): string =>
  storages.pickBeside(source, Math.random(), settings.now.repository_storages_weighted)?.name ?? source;

/**
 * Schedules a move. The repositories are read-only from the end of the transaction until the move ends, except while it
 * waits for writes to end.
 * @param kind of the moved object: a project with its wiki, a snippet, or the wiki of a group
 * @param destination name of a storage; null draws one by weight
 * @throws ApiError 404, or 400 for an unknown storage and for repositories that are already read-only
 */
export async function scheduleMove(
  deps: Deps,
  kind: StorageMoveKind,
  id: number,
  destination: string | null,
): Promise<StorageMove> {
  if (kind === 'group' && !isUnknown(deps, destination)) await ensureWiki(deps, { type: 'group', id });
  return deps.db.transaction().execute((db) => scheduleMoveWithin(deps, db, kind, id, destination));
}

const isUnknown = ({ storages }: Deps, name: string | null): boolean => name !== null && !storages.has(name);

/**
 * Like `scheduleMove`, within a larger transaction; the wiki of a group must exist.
 * @param db the transaction's handle
 */
export async function scheduleMoveWithin(
  deps: Deps,
  db: Db,
  kind: StorageMoveKind,
  id: number,
  destination: string | null,
): Promise<StorageMove> {
  const holders = await lockMoved(deps, db, kind, id);
  const errors: FieldErrors = {
    ...(isUnknown(deps, destination) ? { destination_storage_name: ['is not included in the list'] } : {}),
    ...(holders.some(({ busy }) => busy) || (await isOpen(db, kind, id)) ? { [kind]: ['is read-only'] } : {}),
  };
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  const source = holders[0]!.repository_storage;
  const repositories = holders.map((holder): MovedRepository => {
    return { type: holder.type, id: holder.id, from: locationOf(holder), to: null };
  });
  const now = timestamp(deps.clock);
  const move = await db
    .insertInto('repository_storage_moves')
    .values({
      kind,
      project_id: null,
      snippet_id: null,
      group_id: null,
      [COLUMN_OF[kind]]: id,
      source_storage_name: source,
      destination_storage_name: destination ?? pickDestination(deps, source),
      state: 'scheduled',
      error_message: null,
      places: JSON.stringify(repositories),
      claim: null,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await setReadOnly(db, repositories, 1);
  await enqueueMove(deps, db, move);
  await recordScheduled(deps, db, kind, id, move);
  return move;
}

/** Whether a move is open; its repository may be writable while it waits. */
async function isOpen(db: Db, kind: StorageMoveKind, id: number): Promise<boolean> {
  const open = await db
    .selectFrom('repository_storage_moves')
    .select('id')
    .where(COLUMN_OF[kind], '=', id)
    .where('state', 'in', ['scheduled', 'started'])
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/** Records an audit event for the move on the owner of the repository; for a snippet, on the instance. */
async function recordScheduled(
  deps: Deps,
  db: Db,
  kind: StorageMoveKind,
  id: number,
  move: StorageMove,
): Promise<void> {
  const { source_storage_name: from, destination_storage_name: to } = move;
  await recordAudit(deps, db, {
    name: 'repository_storage_move_scheduled',
    entity: kind === 'snippet' ? INSTANCE : auditEntity(kind, id),
    ...(kind === 'snippet' ? { target: { id, type: 'Snippet', details: `Snippet ${id}` } } : {}),
    message: `Scheduled move of the repository from ${from} to ${to}`,
    more: { change: 'repository storage', from, to },
  });
}

/** Enqueues the job that continues a move, unless it is already queued. */
export const enqueueMove = (deps: Deps, db: Db, { id, state }: Pick<StorageMove, 'id' | 'state'>): Promise<void> =>
  deps.jobs.enqueue(db, state === 'replicated' ? CLEAN_UP : MOVE, { move_id: id }, { uniqueKey: id });

/** Makes repositories read-only or writable. */
export async function setReadOnly(db: Db, repositories: readonly MovedRepository[], value: 0 | 1): Promise<void> {
  for (const { type, id } of repositories) {
    await db.updateTable(tableOf(type)).set({ repository_read_only: value }).where('id', '=', id).execute();
  }
}
